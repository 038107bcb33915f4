// Activity: calls and questions as they come, newest first, each with all that is known of it.
import {html, useState} from "./view.js";
import {clock, count, duration, many, oneLine, pretty, size} from "./text.js";
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

export function Activity({known, onTable, onSql}) {
  const [most, setMost] = useState(SHOWN);
  const entries = [...known.entries.values()].sort((a, b) => (a.time < b.time ? 1 : a.time > b.time ? -1 : 0));
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
      <span class="what"><bdi>${oneLine(isCall ? entry.tool : entry.sql.replace(/\s+/g, " "))}</bdi></span>
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
    <pre tabindex="0">${pretty(entry.arguments) || "none"}</pre>
    ${entry.tables.length > 0 && html`<h3>Tables</h3>
      <ul class="links">${entry.tables.map(
        (table) => html`<li key=${table.name}><button type="button" class="link" onClick=${() => onTable(table.name)}>${table.name}</button>
          ${count(table.rows)} rows from <code>${table.path}</code></li>`,
      )}</ul>`}
    ${entry.handle !== null && html`<h3>Handle, as the agent got it</h3><pre tabindex="0">${entry.handle}</pre>`}
    ${entry.note && html`<p class="note">${entry.note}</p>`}`;
}

function Query({entry, onSql}) {
  return html`
    <h3>Statement${entry.saved_as ? `, kept as ${entry.saved_as}` : ""}</h3>
    <pre tabindex="0">${entry.sql}</pre>
    <button type="button" class="link" onClick=${() => onSql(entry.sql)}>Run it in the SQL box</button>
    ${entry.answer !== null && html`<h3>${entry.reason ? `Refused: ${entry.reason}` : `Answer, ${size(entry.bytes)}`}</h3>
      <pre tabindex="0">${entry.answer}${entry.is_cut ? "\n… the rest is not kept" : ""}</pre>`}`;
}
