// Unseen: texts of a session with what cannot be seen in them made visible: controls, marks of direction, zero widths.
// Rule: whatever comes from a session goes through `Text`, or through `escaped` where no element can stand.
import {html} from "./view.js";

const MOST_MARKS = 2000; // Elements of one text; behind them the escapes stand in the text itself.
const UNSEEN = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}[\p{Zs}--[ ]]\u2800]/v;
const PIECES = new RegExp(`(\\p{RGI_Emoji})|${UNSEEN.source}+`, "gv"); // What joins the parts of an emoji is seen in it.
const SHORT = {"\n": "↵", "\t": "\\t", "\r": "\\r"};

const sign = (char) => {
  const code = char.codePointAt(0).toString(16);
  return SHORT[char] ?? (code.length > 4 ? `\\u{${code}}` : `\\u${code.padStart(4, "0")}`);
};

const signs = (run) => [...run].map(sign).join("");

/** `[isUnseen, text]` after one another; where lines are kept, so are their ends and tabs. */
function pieces(text, keepsLines) {
  if (!UNSEEN.test(text)) return [[false, text]];
  const found = [];
  let from = 0;
  for (const match of text.matchAll(PIECES)) {
    if (match[1]) continue;
    found.push([false, text.slice(from, match.index)]);
    for (const run of keepsLines ? match[0].split(/([\n\t]+)/) : [match[0]]) found.push([!(keepsLines && /^[\n\t]*$/.test(run)), run]);
    from = match.index + match[0].length;
  }
  found.push([false, text.slice(from)]);
  return found.filter(([, piece]) => piece);
}

/** How many characters of a text cannot be seen; line ends and tabs of a text on several lines can. */
export const unseen = (text) => pieces(text, true).reduce((sum, [isUnseen, piece]) => sum + (isUnseen ? [...piece].length : 0), 0);

/** The text on one line, as a text: for titles, choices and widths. */
export const escaped = (text) => pieces(text, false).map(([isUnseen, piece]) => (isUnseen ? signs(piece) : piece)).join("");

/** The text with its signs set apart, and its direction kept to itself; on one line but where `lines` is given. */
export function Text({text, lines}) {
  const found = pieces(text, lines);
  const rest = found.slice(MOST_MARKS).map(([isUnseen, piece]) => (isUnseen ? signs(piece) : piece));
  return html`<bdi>${found
    .slice(0, MOST_MARKS)
    .map(([isUnseen, piece]) => (isUnseen ? html`<span class="unseen">${signs(piece)}</span>` : piece))}${rest.join("")}</bdi>`;
}
