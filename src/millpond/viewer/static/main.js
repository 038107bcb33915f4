// Main: the page: which session is shown, and its parts beside one another, or one at a time in a narrow window.
import {html, render, useEffect, useState} from "./view.js";
import {sessions as readSessions} from "./link.js";
import {Activity} from "./activity.js";
import {totals, useSession} from "./session.js";
import {Sql} from "./sql.js";
import {Tables, useTables} from "./tables.js";
import {clock, many, quoted, size, tokens} from "./text.js";
import {Panel, Tabs} from "./tabs.js";
import {escaped} from "./unseen.js";

const LOOK_MS = 2000;
const WIDE = window.matchMedia("(min-width: 1080px)");
const STATES = {connecting: "connecting", live: "live", ended: "ended"};

/** The sessions that run, looked for again and again while the page is seen; null where the server does not answer. */
function useSessions() {
  const [found, setFound] = useState([]);
  const [isLost, setLost] = useState(false);
  useEffect(() => {
    let timer;
    const look = async () => {
      if (!document.hidden) {
        try {
          const next = await readSessions();
          setFound((before) => (JSON.stringify(before) === JSON.stringify(next) ? before : next));
          setLost(false);
        } catch {
          setLost(true);
        }
      }
      timer = setTimeout(look, LOOK_MS);
    };
    look();
    return () => clearTimeout(timer);
  }, []);
  return [found, isLost];
}

function useWide() {
  const [isWide, setWide] = useState(WIDE.matches);
  useEffect(() => {
    const look = () => setWide(WIDE.matches);
    WIDE.addEventListener("change", look);
    return () => WIDE.removeEventListener("change", look);
  }, []);
  return isWide;
}

function App() {
  const [sessions, isLost] = useSessions();
  const [chosen, setChosen] = useState(null);
  const id = chosen ?? sessions[0]?.id ?? null;
  useEffect(() => {
    if (!chosen && sessions[0]) setChosen(sessions[0].id);
  }, [sessions]);
  return html`<${Header} sessions=${sessions} id=${id} isLost=${isLost} onChoose=${setChosen} />`;
}

function Header({sessions, id, isLost, onChoose}) {
  const known = useSession(id);
  const state = isLost ? "lost" : known.state;
  const others = sessions.filter((session) => session.id !== id);
  const own = known.hello && {id, hello: known.hello};
  const shown = sessions.some((session) => session.id === id) || !own ? sessions : [own, ...sessions];
  const sum = totals(known);
  useEffect(() => {
    document.title = known.hello ? `${escaped(known.hello.server)} – Millpond` : "Millpond";
  }, [known.hello]);
  return html`
    <a class="skip" href="#main">Skip to the content</a>
    <header class="masthead">
      <h1><svg viewBox="0 0 32 32" width="22" height="22" aria-hidden="true"><rect width="32" height="32" rx="7" />
        <path d="M6 12c3.3-3 6.7-3 10 0s6.700 3 10 0" /><path d="M6 20c3.300-3 6.700-3 10 0s6.700 3 10 0" opacity=".65" /></svg>Millpond</h1>
      ${shown.length > 0 && html`<label class="choice"><span class="hidden">Session</span>
        <select value=${id} onChange=${(event) => onChoose(event.target.value)}>
          ${shown.map((session) => html`<option key=${session.id} value=${session.id}>${escaped(session.hello.server)} · ${clock(session.hello.began)} · ${session.hello.pid}</option>`)}
        </select></label>`}
      ${id && html`<span class=${`status ${state}`} role="status"><i></i>${isLost ? "no connection" : STATES[state]}</span>`}
      <dl class="totals">
        <div><dt>kept out</dt><dd>${size(sum.out_bytes)}</dd></div>
        <div><dt>tokens, about</dt><dd>${tokens(sum.out_bytes)}</dd></div>
        <div><dt>calls</dt><dd>${sum.calls}</dd></div>
        <div><dt>queries</dt><dd>${sum.queries}</dd></div>
      </dl>
    </header>
    ${isLost && html`<p class="banner" role="alert">The server of this page has ended. Start <code>millpond inspect</code> again, and open the new address.</p>`}
    ${!isLost && known.state === "ended" && html`<p class="banner" role="alert">This session has ended, and its tables are gone. What it did stays here until you leave the page.
      ${others.length > 0 && html` <button type="button" class="link" onClick=${() => onChoose(others[0].id)}>Show ${escaped(others[0].hello.server)}</button>`}</p>`}
    ${id ? html`<${Session} key=${id} id=${id} known=${known} />` : html`<main id="main" class="nothing"><h2>No session is running</h2>
      <p>Start your client, or <code>millpond -- COMMAND ARGS…</code> by hand. It appears here by itself.</p></main>`}`;
}

function Session({id, known}) {
  const isWide = useWide();
  const [tab, setTab] = useState("activity");
  const [table, setTable] = useState(null);
  const [sql, setSql] = useState(null);
  const entries = [...known.entries.values()];
  const news = known.state === "live" ? entries.filter((entry) => entry.kind === "call" || entry.saved_as).map((entry) => entry.state).join() : "";
  const tables = useTables(id, news);
  const right = isWide && tab === "activity" ? "tables" : tab;
  const statement = sql ?? (tables[0] ? `SELECT * FROM ${/^[a-z_][a-z0-9_]*$/.test(tables[0].name) ? tables[0].name : quoted(tables[0].name)} LIMIT 100` : "");
  const activity = html`<${Activity} known=${known} onTable=${(name) => (setTable(name), setTab("tables"))} onSql=${(text) => (setSql(text), setTab("sql"))} />`;
  const tabs = [
    ...(isWide ? [] : [{id: "activity", title: `Activity${entries.length ? ` ${entries.length}` : ""}`}]),
    {id: "tables", title: `Tables${tables.length ? ` ${tables.length}` : ""}`},
    {id: "sql", title: "SQL"},
  ];
  const isOver = known.state === "ended";
  return html`<main id="main" tabindex="-1" class=${isWide ? "wide" : "narrow"}>
    ${isWide && html`<section class="side" aria-label="Activity">${activity}</section>`}
    <section class="work" aria-label="Session">
      <${Tabs} name="part" label="Parts of the session" tabs=${tabs} shown=${right} onShow=${setTab} />
      <${Panel} name="part" shown=${right}>
        ${right === "activity" && activity}
        ${right === "tables" && html`<${Tables} session=${id} tables=${tables} shown=${table} onShow=${setTable} />`}
        ${right === "sql" && html`<${Sql} session=${id} sql=${statement} onSql=${setSql} isOver=${isOver} />`}
      <//>
    </section>
  </main>`;
}

render(html`<${App} />`, document.getElementById("app"));
