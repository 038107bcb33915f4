// Profile: what the values of each column are like, computed by the engine, one column after the other.
import {html, useEffect, useState} from "./view.js";
import {Value} from "./grid.js";
import {query} from "./link.js";
import {count, isList, isNested, isNumber, many, quoted} from "./text.js";
import {Text, escaped} from "./unseen.js";

const BINS = 20;
const TOP = 4;
const FEW = 12; // Different values up to which a number is shown by its commonest ones.

/** The statement that counts a column. */
function counting(table, {name, type}) {
  const column = quoted(name);
  const measured = isList(type) ? `len(${column})` : column;
  const ends = isNested(type) && !isList(type) ? "NULL, NULL" : `min(${measured})::VARCHAR, max(${measured})::VARCHAR`;
  return `SELECT count(*), count(${column}), count(DISTINCT ${column}), ${ends} FROM ${quoted(table)}`;
}

function commonest(table, {name}) {
  const column = quoted(name);
  return `SELECT ${column}::VARCHAR AS v, count(*) AS n FROM ${quoted(table)} WHERE ${column} IS NOT NULL GROUP BY 1 ORDER BY n DESC, v LIMIT ${TOP}`;
}

/** Distances from the least are taken before they become DOUBLE, which holds no two neighbours of 2^53 and more apart. */
function histogram(table, {name}) {
  return `WITH v AS (SELECT ${quoted(name)} AS c FROM ${quoted(table)} WHERE ${quoted(name)}::DOUBLE BETWEEN -1e300 AND 1e300),
    e AS (SELECT min(c) AS lo FROM v), f AS (SELECT coalesce(try((c - lo)::DOUBLE), c::DOUBLE - lo::DOUBLE) AS x FROM v, e),
    w AS (SELECT max(x) AS wide FROM f)
    SELECT least(${BINS - 1}, floor(x / (wide / ${BINS})))::INTEGER AS bin, count(*) AS n FROM f, w WHERE wide > 0 GROUP BY 1 ORDER BY 1`;
}

async function profileOf(session, table, column, signal) {
  const [[all, filled, different, least, most]] = (await query(session, counting(table, column), {signal})).rows;
  const found = {all: Number(all), filled: Number(filled), different: Number(different), least, most};
  if (isNumber(column.type) && found.different > FEW) {
    const bins = new Array(BINS).fill(0);
    for (const [bin, n] of (await query(session, histogram(table, column), {signal})).rows) bins[Number(bin)] = Number(n);
    return {...found, bins};
  }
  const top = (await query(session, commonest(table, column), {signal})).rows;
  return {...found, top: top.map(([value, n]) => [value, Number(n)])};
}

export function Profile({session, table, columns}) {
  const [found, setFound] = useState({});
  useEffect(() => {
    const stop = new AbortController();
    setFound({});
    (async () => {
      for (const column of columns) {
        let profile;
        try {
          profile = await profileOf(session, table, column, stop.signal);
        } catch (error) {
          if (error.name === "AbortError") return;
          profile = {error: error.message};
        }
        setFound((before) => ({...before, [column.name]: profile}));
      }
    })();
    return () => stop.abort();
  }, [session, table, columns]);
  return html`<div class="profile" tabindex="0" role="region" aria-label=${`Columns of ${table}`}>
    <table>
      <thead><tr><th scope="col">Column</th><th scope="col" class="number">NULL</th><th scope="col" class="number">Different</th>
        <th scope="col">Least, most</th><th scope="col">Values</th></tr></thead>
      <tbody>${columns.map((column) => html`<${Line} key=${column.name} column=${column} profile=${found[column.name]} />`)}</tbody>
    </table>
  </div>`;
}

function Line({column, profile}) {
  const head = html`<th scope="row"><span class="name"><${Text} text=${column.name} /></span><span class="type" title=${escaped(column.type)}><${Text} text=${column.type} /></span></th>`;
  if (!profile) return html`<tr>${head}<td colspan="4"><span class="wait">…</span></td></tr>`;
  if (profile.error) return html`<tr>${head}<td colspan="4" class="problem"><${Text} text=${profile.error} lines /></td></tr>`;
  const missing = profile.all - profile.filled;
  return html`<tr>${head}
    <td class="number" data-label="NULL">${missing ? html`${count(missing)}<small>${share(missing, profile.all)}</small>` : html`<span class="faint">0</span>`}</td>
    <td class="number" data-label="different">${count(profile.different)}${profile.different === profile.all && profile.all > 1 && html`<small>unique</small>`}</td>
    <td class="ends"><${Ends} type=${column.type} ends=${[profile.least, profile.most]} /></td>
    <td class="values">${profile.bins ? html`<${Bins} bins=${profile.bins} />` : html`<${Commonest} top=${profile.top} filled=${profile.filled} />`}</td>
  </tr>`;
}

/** The least and the most value; of lists, how long the shortest and the longest are. */
function Ends({type, ends}) {
  if (isList(type)) return ends.map((end) => end !== null && html`<div>${many(Number(end), "element")}</div>`);
  return !isNested(type) && ends.map((end) => html`<div title=${escaped(end ?? "")}><${Value} value=${end} /></div>`);
}

function share(part, whole) {
  const percent = (100 * part) / whole;
  return percent < 1 ? "<1 %" : percent > 99 && percent < 100 ? ">99 %" : `${Math.round(percent)} %`;
}

function Bins({bins}) {
  const highest = Math.max(...bins, 1);
  return html`<svg class="bins" viewBox="0 0 200 34" preserveAspectRatio="none" role="img" aria-label=${`Counts from least to most: ${bins.join(", ")}`}>
    ${bins.map((n, at) => {
      const height = n ? Math.max(1.5, (n / highest) * 32) : 0;
      return html`<rect key=${at} x=${at * 10} y=${33 - height} width="9" height=${height}><title>${count(n)}</title></rect>`;
    })}
    <line x1="0" x2="199" y1="33.5" y2="33.5" />
  </svg>`;
}

function Commonest({top, filled}) {
  return html`<ul class="top">${top.map(
    ([value, n]) => html`<li key=${value} title=${escaped(value)}>
      <span class="share" style=${`width:${(100 * n) / Math.max(filled, 1)}%`}></span>
      <span class="value"><${Value} value=${value} /></span><span class="n">${count(n)}</span>
    </li>`,
  )}</ul>`;
}
