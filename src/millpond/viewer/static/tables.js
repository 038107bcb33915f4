// Tables: the tables of a session, one of them with its rows or its columns.
import {html, useCallback, useEffect, useState} from "./view.js";
import {query} from "./link.js";
import {CellDialog} from "./cell.js";
import {Grid} from "./grid.js";
import {Profile} from "./profile.js";
import {useRows} from "./rows.js";
import {count, many} from "./text.js";
import {Panel, Tabs} from "./tabs.js";
import {Text, escaped} from "./unseen.js";

const MOST_CALLS = 500;
const PAUSE_MS = 250;
const LIST = `SELECT number, tool, unnest(tables) AS name, note FROM calls ORDER BY number DESC LIMIT ${MOST_CALLS}`;
const OWN = [
  {name: "calls", from: "every call"},
  {name: "results", from: "results as they came"},
];

/** The tables that can be asked, newest first; read anew when `news` changes. */
export function useTables(session, news) {
  const [tables, setTables] = useState([]);
  useEffect(() => setTables([]), [session]);
  useEffect(() => {
    if (!session || !news) return undefined;
    const stop = new AbortController();
    const timer = setTimeout(() => {
      query(session, LIST, {maxRows: MOST_CALLS, signal: stop.signal}).then(
        ({rows}) =>
          setTables([
            ...rows.filter(([, , , note]) => !note?.startsWith("evicted")).map(([number, tool, name]) => ({name, from: `${tool}, call ${number}`})),
            ...OWN,
          ]),
        () => {},
      );
    }, PAUSE_MS);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [session, news]);
  return tables;
}

export function Tables({session, tables, shown, onShow}) {
  if (!tables.length) return html`<p class="hint">No tables yet. Results with rows appear here as soon as they come.</p>`;
  const name = shown ?? tables[0].name;
  return html`<div class="tables">
    <nav class="table-list" aria-label="Tables">
      <ul>${tables.map(
        (table) => html`<li key=${table.name}><button type="button" aria-current=${table.name === name ? "true" : undefined} onClick=${() => onShow(table.name)}>
          <span class="name"><${Text} text=${table.name} /></span><span class="from"><${Text} text=${table.from} /></span></button></li>`,
      )}</ul>
    </nav>
    <label class="table-choice">Table
      <select value=${name} onChange=${(event) => onShow(event.target.value)}>
        ${tables.map((table) => html`<option key=${table.name} value=${table.name}>${escaped(table.name)}</option>`)}
      </select>
    </label>
    <${Table} key=${`${session} ${name}`} session=${session} name=${name} />
  </div>`;
}

const DIRECTIONS = {undefined: "ASC", ASC: "DESC"};

function Table({session, name}) {
  const [sort, setSort] = useState(null);
  const [tab, setTab] = useState("rows");
  const [cell, setCell] = useState(null);
  const [rows, version] = useRows(session, name, sort);
  const want = useCallback((first, last) => rows.want(first, last), [rows]);
  const onSort = (column) => {
    const direction = DIRECTIONS[sort?.column === column ? sort.direction : undefined];
    setSort(direction ? {column, direction} : null);
  };
  const onOpen = (row, at) => {
    const cells = rows.rows.get(row);
    if (!cells) return;
    const {name: column, type} = rows.columns[at];
    const whole = cells[at]?.endsWith("…") ? (signal) => rows.whole(row, column, signal) : null;
    setCell({row, column, type, value: cells[at], whole});
  };
  if (rows.error?.reason === "ended") return html`<p class="hint">The rows went with the session.</p>`;
  if (rows.error) return html`<p class="problem" role="alert"><${Text} text=${rows.error.message} lines /></p>`;
  return html`<section class="table" aria-label=${escaped(name)}>
    <div class="bar">
      <h2><${Text} text=${name} /></h2>
      <p class="faint">${rows.columns ? `${many(rows.total, "row")} · ${many(rows.columns.length, "column")}` : "reading …"}</p>
      <${Tabs} name="view" label="View of the table" shown=${tab} onShow=${setTab}
        tabs=${[{id: "rows", title: "Rows"}, {id: "columns", title: "Columns"}]} />
    </div>
    <${Panel} name="view" shown=${tab}>
      ${rows.columns && tab === "rows" && html`<${Grid} label=${escaped(`Rows of ${name}`)} columns=${rows.columns} total=${rows.total} version=${version}
        row=${(at) => rows.rows.get(at)} want=${want} onOpen=${onOpen} onSort=${onSort} sort=${sort} />`}
      ${rows.columns && tab === "columns" && html`<${Profile} session=${session} table=${name} columns=${rows.columns} />`}
    <//>
    ${cell && html`<${CellDialog} cell=${cell} onClose=${() => setCell(null)} />`}
  </section>`;
}
