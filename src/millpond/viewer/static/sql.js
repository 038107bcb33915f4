// Sql: a box for statements of one's own, through the same gate as the agent's.
import {html, useEffect, useRef, useState} from "./view.js";
import {query} from "./link.js";
import {CellDialog} from "./cell.js";
import {Grid} from "./grid.js";
import {duration, many} from "./text.js";
import {Text, unseen} from "./unseen.js";

const MOST_ROWS = 1000;
const isMac = navigator.platform.startsWith("Mac");

export function Sql({session, sql, onSql, isOver}) {
  const [answer, setAnswer] = useState(null);
  const [running, setRunning] = useState(null);
  const [cell, setCell] = useState(null);
  const stop = useRef(null);
  useEffect(() => () => stop.current?.abort(), [session]);
  const run = async () => {
    stop.current?.abort();
    const mine = new AbortController();
    stop.current = mine;
    const began = performance.now();
    setRunning(mine);
    let found;
    try {
      found = await query(session, sql, {maxRows: MOST_ROWS, signal: mine.signal});
    } catch (error) {
      found = error.name === "AbortError" ? {error: "Stopped.", reason: "cancelled"} : {error: error.message, reason: error.reason};
    }
    if (stop.current !== mine) return;
    setAnswer({...found, milliseconds: Math.round(performance.now() - began)});
    setRunning(null);
  };
  const onKeyDown = (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      run();
    }
  };
  const onOpen = (row, at) => {
    const {name: column, type} = answer.columns[at];
    setCell({row, column, type, value: answer.rows[row][at], whole: null});
  };
  return html`<section class="sql" aria-label="SQL">
    <form onSubmit=${(event) => (event.preventDefault(), run())}>
      <label for="statement">One statement that reads</label>
      <textarea id="statement" rows="5" spellcheck=${false} autocapitalize="off" autocomplete="off" value=${sql}
        onFocus=${() => onSql(sql)} onInput=${(event) => onSql(event.target.value)} onKeyDown=${onKeyDown}></textarea>
      <div class="run">
        <button type="submit" class="main" disabled=${isOver || !sql.trim()}>Run</button>
        ${running && html`<button type="button" onClick=${() => running.abort()}>Stop</button>`}
        <kbd>${isMac ? "⌘" : "Ctrl"} Enter</kbd>
        <span class="said" role="status">${running ? "running …" : said(answer)}</span>
      </div>
      ${unseen(sql) > 0 && html`<p class="warn" role="status">It holds ${many(unseen(sql), "character")} that cannot be seen in the box: <code><${Text} text=${sql} /></code></p>`}
    </form>
    ${answer?.error && html`<div class="problem" role="alert"><b>${answer.reason}</b> <span><${Text} text=${answer.error} lines /></span></div>`}
    ${answer?.notes?.length > 0 && html`<ul class="notes" aria-label="Notes">${answer.notes.map((note) => html`<li key=${note}><${Text} text=${note} lines /></li>`)}</ul>`}
    ${answer?.columns && html`<${Grid} label="Answer" columns=${answer.columns} total=${answer.rows.length} version=${answer}
      row=${(at) => answer.rows[at]} onOpen=${onOpen} />`}
    ${cell && html`<${CellDialog} cell=${cell} onClose=${() => setCell(null)} />`}
  </section>`;
}

function said(answer) {
  if (!answer) return "";
  if (answer.error) return duration(answer.milliseconds);
  return `${many(answer.rows.length, "row")}${answer.truncated ? ", cut" : ""} · ${duration(answer.milliseconds)}`;
}
