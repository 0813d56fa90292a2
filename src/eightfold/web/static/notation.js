// How text and bytes are written in the page: text with escapes, bytes in hex. Text is a list of code points, because
// strings with unpaired surrogates do not survive fetch, URLs and clipboards.

const ESCAPE = /\\(?:u\{([0-9A-Fa-f]{1,8})\}|u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|x([0-9A-Fa-f]{2})|([nrt0\\]))/y;
const CONTROLS = { n: 10, r: 13, t: 9, 0: 0, "\\": 92 };
const LARGEST = 0xffffffff;
const UNPAIRED = /\\\\|\\(?=\p{Surrogate})|\p{Surrogate}/gu;
const LITERAL = /^\s*b(["'])(.*)\1\s*$/is;
const LITERAL_PIECE = /\\x([0-9A-Fa-f]{2})|\\([0-7]{1,3})|\\([abfnrtv\\'"])|([\t -[\]-~])|[^]/gu;
const CONTROLS_OF_LITERALS = { a: 7, b: 8, t: 9, n: 10, v: 11, f: 12, r: 13 };

// Yields [source, code point] for each piece. A backslash that begins no escape is itself.
function* pieces(source) {
  for (let at = 0; at < source.length; ) {
    ESCAPE.lastIndex = at;
    const found = source[at] === "\\" ? ESCAPE.exec(source) : null;
    const digits = found && (found[1] ?? found[2] ?? found[3] ?? found[4]);
    const point = found ? (digits ? parseInt(digits, 16) : CONTROLS[found[5]]) : source.codePointAt(at);
    const length = found && point <= LARGEST ? found[0].length : String.fromCodePoint(source.codePointAt(at)).length;
    yield [source.slice(at, at + length), found && point <= LARGEST ? point : source.codePointAt(at)];
    at += length;
  }
}

// Returns the first code points, at most so many: what is pasted may be much longer than what is shown.
export function pointsOf(source, most) {
  const points = [];
  for (const [, point] of pieces(source)) {
    if (points.length === most) break;
    points.push(point);
  }
  return points;
}

// Returns the same text with an escape for each unpaired surrogate, so that it can be copied, sent and kept.
export function escaped(source) {
  return source.replace(UNPAIRED, (found) => found.startsWith("\\") ? "\\\\" : `\\u${found.charCodeAt(0).toString(16).toUpperCase()}`);
}

export function pointName(point) {
  return `U+${point.toString(16).toUpperCase().padStart(4, "0")}`;
}

// Returns a character in quotation marks; one that might not show, or might turn the line around, as a code point.
function quoted(character) {
  return /[!-~]/.test(character) ? `“${character}”` : pointName(character.codePointAt(0));
}

export function pointOf(written) {
  const digits = /^\s*(?:U\+|0x|\\u\{?)?([0-9A-Fa-f]{1,8})\}?\s*$/i.exec(written);
  const point = digits ? parseInt(digits[1], 16) : NaN;
  return point <= LARGEST ? point : null;
}

// Returns {hex, error}. Bytes may be written as ED A0 80, eda080, 0xED, 0xA0, \xED\xA0\x80 or, in Python, b'caf\xE9'.
export function hexOf(written) {
  const literal = LITERAL.exec(written);
  return literal ? ofLiteral(literal[2], literal[1]) : ofDigits(written);
}

// Reads the inside of a literal of Python's bytes. Of an octal escape the low eight bits count, as in Python.
function ofLiteral(inside, quote) {
  const bytes = [];
  for (const [piece, digits, octal, control, plain] of inside.matchAll(LITERAL_PIECE)) {
    if (digits) bytes.push(parseInt(digits, 16));
    else if (octal) bytes.push(parseInt(octal, 8) & 0xff);
    else if (control) bytes.push(CONTROLS_OF_LITERALS[control] ?? control.charCodeAt(0));
    else if (plain && plain !== quote) bytes.push(plain.charCodeAt(0));
    else return { hex: "", error: `${quoted(piece)} must be written as an escape in b${quote}…${quote}` };
  }
  return { hex: hexOfBytes(bytes), error: "" };
}

function ofDigits(written) {
  const bare = written.replace(/^\s*(["'])(.*)\1\s*$/s, "$2").replace(/0x|\\x|[\s,:;]/gi, " ");
  const wrong = /[^0-9A-Fa-f ]/u.exec(bare);
  if (wrong) return { hex: "", error: `${quoted(wrong[0])} is not a hex digit` };
  const parts = bare.split(" ").filter(Boolean);
  const odd = parts.find((part) => part.length % 2 && part.length > 1);
  if (odd) return { hex: "", error: `“${odd.slice(0, 20)}” has an odd number of hex digits` };
  return { hex: parts.map((part) => part.padStart(2, "0")).join("").toUpperCase(), error: "" };
}

export function spaced(hex) {
  return hex.replace(/ /g, "").replace(/..(?=.)/g, "$& ");
}

export function bytesOf(hex) {
  return Uint8Array.from(hex.replace(/ /g, "").match(/../g) ?? [], (pair) => parseInt(pair, 16));
}

// Returns the units of a sequence; of a long one not all are given.
export function unitsOf({ units, start, end }) {
  return bytesOf(units).length < end - start ? `${units} …` : units;
}

export function hexOfBytes(bytes) {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("").toUpperCase();
}

export function count(number, noun) {
  return `${number.toLocaleString("en")} ${noun}${number === 1 ? "" : "s"}`;
}
