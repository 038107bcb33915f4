// Grid: any number of rows, of which only those in sight are elements.
// Rule: rows come from `row(index)`, undefined where they are not there yet; `want(first, last)` tells which are looked at.
// The keyboard moves one active cell, as the pattern `grid` of ARIA has it.
import {Component, html, useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState} from "./view.js";
import {count, isNested, isNumber, shortType} from "./text.js";
import {Text, escaped} from "./unseen.js";

const ROW = 25;
const HEAD = 43;
const CHARACTER = 7.25;
const PADDING = 19;
const LEAST_CHARACTERS = 6;
const MOST_CHARACTERS = 44;
const SAMPLE = 60;
const BESIDE = 8; // Rows above and below those in sight, so that a short scroll finds them.
const MOST_HEIGHT = 8e6; // Browsers cut an element at 17 to 33 million pixels.

/** Widths in pixels, from the names and the rows that are there. */
function widths(columns, rows) {
  return columns.map(({name, type}, at) => {
    const cells = rows.map((row) => escaped((row[at] ?? "NULL").slice(0, MOST_CHARACTERS)).length);
    const longest = Math.max(LEAST_CHARACTERS, escaped(name).length + 2, shortType(type).length * 0.9, ...cells);
    return Math.round(Math.min(longest, MOST_CHARACTERS) * CHARACTER + PADDING);
  });
}

/** The columns between two positions: `[first, last + 1]`. */
function across(lefts, from, to) {
  let first = 0;
  while (first < lefts.length - 2 && lefts[first + 1] <= from) first += 1;
  let last = first;
  while (last < lefts.length - 1 && lefts[last] < to) last += 1;
  return [first, last];
}

/** A cell's value: NULL and an empty text look like neither a text nor one another. */
export function Value({value}) {
  if (value === null) return html`<span class="null">NULL</span>`;
  if (value === "") return html`<span class="empty" title="empty text">""</span>`;
  return html`<${Text} text=${value} />`;
}

const place = (lefts, column) => `left:${lefts[column]}px;width:${lefts[column + 1] - lefts[column]}px`;

/** One row; it is only rendered anew where something of it has changed, so that a scroll costs the rows that come into sight. */
class Row extends Component {
  shouldComponentUpdate(next) {
    return Object.keys(next).some((name) => next[name] !== this.props[name]);
  }

  render({at, y, cells, columns, from, to, lefts, gutter, active, onCell}) {
    const inSight = [...columns.keys()].slice(from, to);
    // The active cell is always there, in sight or not: an element that goes takes the focus with it.
    const there = active < 0 || (active >= from && active < to) ? inSight : [...inSight, active];
    return html`<div role="row" aria-rowindex=${at + 2} class="row" style=${`transform:translateY(${y}px)`}>
      <div class="gutter" style=${`width:${gutter}px`}>${count(at + 1)}</div>
      <div class="cells">${there.map((column) => {
        const {type} = columns[column];
        const kind = isNumber(type) ? "cell number" : isNested(type) ? "cell nested" : "cell";
        return html`<div key=${column} role="gridcell" aria-colindex=${column + 1} tabindex=${column === active ? 0 : -1}
          class=${column === active ? `${kind} active` : kind} style=${place(lefts, column)} onClick=${() => onCell(at, column)}>
          ${cells ? html`<${Value} value=${cells[column]} />` : html`<span class="wait"></span>`}
        </div>`;
      })}</div>
    </div>`;
  }
}

function useViewport(box) {
  const [view, setView] = useState({top: 0, left: 0, width: 800, height: 400});
  useLayoutEffect(() => {
    const element = box.current;
    const look = () =>
      setView({
        top: element.scrollTop,
        left: element.scrollLeft,
        width: element.clientWidth,
        height: element.clientHeight,
      });
    const observer = new ResizeObserver(look);
    observer.observe(element);
    element.addEventListener("scroll", look, {passive: true});
    look();
    return () => {
      observer.disconnect();
      element.removeEventListener("scroll", look);
    };
  }, []);
  return view;
}

/** How far a key moves the active cell: `[rows, columns]`, or null where it does not. */
function step(event, page, active, last) {
  const far = event.ctrlKey || event.metaKey;
  const steps = {
    ArrowDown: [1, 0],
    ArrowUp: [-1, 0],
    ArrowRight: [0, 1],
    ArrowLeft: [0, -1],
    PageDown: [page, 0],
    PageUp: [-page, 0],
    Home: [far ? -active.row : 0, -active.column],
    End: [far ? last.row - active.row : 0, last.column - active.column],
  };
  return steps[event.key] ?? null;
}

/** `version` changes whenever `row` may give more than before. */
export function Grid({label, columns, total, row, version, want, onOpen, onSort, sort}) {
  const box = useRef(null);
  const view = useViewport(box);
  const [active, setActive] = useState({row: 0, column: 0});
  const hasFocus = useRef(false);
  const hasRows = total > 0 && row(0) !== undefined;
  const wide = useMemo(() => {
    const there = Array.from({length: Math.min(total, SAMPLE)}, (_, at) => row(at)).filter(Boolean);
    return widths(columns, there);
  }, [columns, hasRows]);
  const gutter = Math.max(3, count(total).length) * CHARACTER + 16;
  const lefts = useMemo(() => wide.reduce((all, width) => [...all, all.at(-1) + width], [0]), [wide]);
  const body = Math.max(0, view.height - HEAD);
  const whole = total * ROW;
  const height = Math.min(whole, MOST_HEIGHT);
  const scale = whole > height ? (whole - body) / (height - body) : 1;
  const top = view.top * scale;
  const first = Math.max(0, Math.floor(top / ROW) - BESIDE);
  const last = Math.min(total, Math.ceil((top + body) / ROW) + BESIDE);
  const [from, to] = across(lefts, view.left, view.left + view.width);
  useEffect(() => want?.(first, last), [first, last, want]);
  useEffect(() => setActive({row: 0, column: 0}), [columns]);
  useEffect(() => {
    if (hasFocus.current) box.current.querySelector('[tabindex="0"]')?.focus({preventScroll: true});
  }, [active, version]);

  const hadFocus = useRef(false); // The cell under the pointer, before it was pressed: a second press opens it.
  const onMouseDown = (event) => {
    hadFocus.current = event.target.closest("[role=gridcell]") === document.activeElement;
  };
  const cellChosen = useRef(null);
  cellChosen.current = (at) => {
    if (hadFocus.current) onOpen?.(at.row, at.column);
    else activate(at);
  };
  const onCell = useCallback((row, column) => cellChosen.current({row, column}), []);
  const activate = (at) => {
    hasFocus.current = true;
    setActive(at);
  };
  const reveal = (at) => {
    const element = box.current;
    const y = at.row * ROW;
    if (y < top) element.scrollTop = y / scale;
    else if (y + ROW > top + body) element.scrollTop = (y + ROW - body) / scale;
    const [left, right] = [lefts[at.column], lefts[at.column + 1]];
    if (left < view.left) element.scrollLeft = left;
    else if (right + gutter > view.left + view.width) element.scrollLeft = right + gutter - view.width;
  };
  const onKeyDown = (event) => {
    if (event.target.closest("[role=columnheader]")) return;
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      onOpen?.(active.row, active.column);
      return;
    }
    const end = {row: total - 1, column: columns.length - 1};
    const moved = step(event, Math.max(1, Math.floor(body / ROW) - 1), active, end);
    if (!moved) return;
    event.preventDefault();
    const at = {
      row: Math.min(end.row, Math.max(0, active.row + moved[0])),
      column: Math.min(end.column, Math.max(0, active.column + moved[1])),
    };
    activate(at);
    reveal(at);
  };

  const inSight = [...columns.keys()].slice(from, to);
  const heads = inSight.map((at) => {
    const {name, type} = columns[at];
    const direction = sort?.column === name ? sort.direction : null;
    const state = direction === "ASC" ? "ascending" : direction === "DESC" ? "descending" : "none";
    const title = html`<span class="name"><${Text} text=${name} />${direction && html`<i>${direction === "ASC" ? " ↑" : " ↓"}</i>`}</span>
      <span class="type">${shortType(type)}</span>`;
    return html`<div key=${at} role="columnheader" aria-colindex=${at + 1} aria-sort=${onSort ? state : undefined}
        class=${isNumber(type) ? "head number" : "head"} style=${place(lefts, at)} title=${escaped(`${name} ${type}`)}>
        ${onSort ? html`<button type="button" onClick=${() => onSort(name)}>${title}</button>` : title}
      </div>`;
  });
  const shown = Array.from({length: last - first}, (_, offset) => first + offset);
  if (total && (active.row < first || active.row >= last)) shown.push(active.row);
  const rows = shown.map((at) => {
    const isActive = at === active.row;
    const y = scale === 1 ? at * ROW : view.top + at * ROW - top;
    return html`<${Row} key=${at} at=${at} y=${y} cells=${row(at)} columns=${columns} from=${from} to=${to} lefts=${lefts}
      gutter=${gutter} active=${isActive ? active.column : -1} onCell=${onCell} />`;
  });
  return html`<div ref=${box} class="grid" role="grid" aria-label=${label} aria-rowcount=${total + 1} aria-colcount=${columns.length}
      onKeyDown=${onKeyDown} onMouseDown=${onMouseDown} onFocusIn=${() => (hasFocus.current = true)} onFocusOut=${() => (hasFocus.current = false)}>
      <div class="heads" role="row" aria-rowindex="1" style=${`width:${gutter + lefts.at(-1)}px`}>
        <div class="gutter corner" style=${`width:${gutter}px`}></div>
        <div class="cells">${heads}</div>
      </div>
      <div class="rows" style=${`height:${height}px;width:${gutter + lefts.at(-1)}px`}>${rows}</div>
    </div>`;
}
