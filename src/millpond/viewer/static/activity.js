// Activity: calls and questions as they come, newest first, each with all that is known of it.
import {html, useState} from "./view.js";
import {clock, count, duration, many, pretty, size} from "./text.js";
import {Text} from "./unseen.js";
import {Plot} from "./plot.js";

const SHOWN = 200;
const STATES = {
  storing: "being stored",
  replaced: "table",
  passed: "as it came",
  failed: "not stored",
  running: "running",
  answered: "answered",
  refused: "refused",
  cancelled: "cancelled",
};

/** Of one millisecond a question stands above the calls, for it is asked of what has come; else the higher number does. */
export function newestFirst(a, b) {
  if (a.time !== b.time) return a.time < b.time ? 1 : -1;
  if (a.kind !== b.kind) return a.kind === "query" ? -1 : 1;
  return b.number - a.number;
}

export function Activity({known, onTable, onSql}) {
  const [most, setMost] = useState(SHOWN);
  const entries = [...known.entries.values()].sort(newestFirst);
  const earlier = known.gone.calls + known.gone.queries;
  return html`<div class="activity">
    <${Plot} known=${known} />
    ${!entries.length && html`<p class="hint">No call has come yet. What the agent asks for appears here by itself.</p>`}
    <ol class="entries" aria-label="Calls and queries, newest first">
      ${entries.slice(0, most).map(
        (entry) => html`<${Entry} key=${`${entry.kind} ${entry.number}`} entry=${entry} onTable=${onTable} onSql=${onSql} />`,
      )}
    </ol>
    ${entries.length > most && html`<button type="button" class="more" onClick=${() => setMost(most + SHOWN)}>Show earlier ones</button>`}
    ${earlier > 0 && entries.length <= most && html`<p class="hint">${many(earlier, "earlier entry").replace("entrys", "entries")} no longer kept; the totals count them.</p>`}
  </div>`;
}

function Entry({entry, onTable, onSql}) {
  const [isOpen, setOpen] = useState(false);
  const isCall = entry.kind === "call";
  const id = `${entry.kind}-${entry.number}`;
  return html`<li class=${`entry ${entry.kind} ${entry.state}`}>
    <button type="button" class="summary" aria-expanded=${String(isOpen)} aria-controls=${id} onClick=${() => setOpen(!isOpen)}>
      <span class="time">${clock(entry.time)}</span>
      <span class="kind">${isCall ? `call ${entry.number}` : `query ${entry.number}`}</span>
      <span class="state">${STATES[entry.state]}</span>
      <span class="what"><${Text} text=${isCall ? entry.tool : entry.sql.replace(/[ \t\r\n]+/g, " ")} /></span>
      <span class="much">${isCall ? callSize(entry) : querySize(entry)}</span>
    </button>
    <div id=${id} class="detail" hidden=${!isOpen}>
      ${isOpen && (isCall ? html`<${Call} entry=${entry} onTable=${onTable} />` : html`<${Query} entry=${entry} onSql=${onSql} />`)}
    </div>
  </li>`;
}

function callSize(entry) {
  return entry.state === "replaced" ? `${size(entry.bytes)} → ${size(entry.sent_bytes)}` : size(entry.bytes);
}

function querySize(entry) {
  const parts = [entry.rows === null ? null : many(entry.rows, "row"), entry.milliseconds === null ? null : duration(entry.milliseconds)];
  return parts.filter(Boolean).join(" · ");
}

function Call({entry, onTable}) {
  return html`
    <h3>Arguments</h3>
    <pre tabindex="0"><${Text} text=${pretty(entry.arguments) || "none"} lines /></pre>
    ${entry.tables.length > 0 && html`<h3>Tables</h3>
      <ul class="links">${entry.tables.map(
        (table) => html`<li key=${table.name}><button type="button" class="link" onClick=${() => onTable(table.name)}><${Text} text=${table.name} /></button>
          ${count(table.rows)} rows from <code><${Text} text=${table.path} /></code></li>`,
      )}</ul>`}
    ${entry.handle !== null && html`<h3>Handle, as the agent got it</h3><pre tabindex="0"><${Text} text=${entry.handle} lines /></pre>`}
    ${entry.note && html`<p class="note"><${Text} text=${entry.note} lines /></p>`}`;
}

function Query({entry, onSql}) {
  return html`
    <h3>Statement${entry.saved_as && html`, kept as <${Text} text=${entry.saved_as} />`}</h3>
    <pre tabindex="0"><${Text} text=${entry.sql} lines /></pre>
    <button type="button" class="link" onClick=${() => onSql(entry.sql)}>Run it in the SQL box</button>
    ${entry.answer !== null && html`<h3>${entry.reason ? `Refused: ${entry.reason}` : `Answer, ${size(entry.bytes)}`}</h3>
      <pre tabindex="0"><${Text} text=${entry.answer} lines />${entry.is_cut ? "\n… the rest is not kept" : ""}</pre>`}`;
}
