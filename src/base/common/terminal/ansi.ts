/** Interprets terminal output. Splits it into pieces of text that each have one style. */

/** 0 to 15 are colors of the theme (8 to 15 are bright). Others are CSS colors: `rgb(r, g, b)`. */
export type AnsiColor = number | string;

interface AnsiStyle {
  readonly fg?: AnsiColor;
  readonly bg?: AnsiColor;
  readonly bold?: true;
  readonly dim?: true;
  readonly italic?: true;
  readonly underline?: true;
  readonly inverse?: true;
  readonly strike?: true;
}

/** A piece of text with its style. `text` contains no control characters other than line feeds and tabs. */
export interface AnsiSegment extends AnsiStyle {
  readonly text: string;
}

interface AnsiLine {
  readonly cells: string[];
  /** One style for each cell. Cells that were written without a change of style share the same object. */
  readonly styles: AnsiStyle[];
}

/** Maximum length of output that is parsed, in UTF-16 units. Only the end of longer output is parsed. */
const maxParsedUnits = 1_000_000;
/** Maximum column that the cursor can reach. */
const maxColumn = 2_000;
const plainStyle: AnsiStyle = {};

/**
 * Matches tokens of terminal output: a control sequence, a string sequence (title, link) with or without its end,
 * another escape sequence, a control character, or a piece of text.
 */
const tokenPattern =
  /\x1b\[([0-?]*)[ -/]*([@-~])|\x1b[\]PX^_][^\x07\x1b\n]{0,4096}(?:\x07|\x1b\\)?|\x1b[ -/]*[0-~]?|[\x00-\x08\x0a-\x1f\x7f-\x9f]|[^\x00-\x08\x0a-\x1f\x7f-\x9f]+/g;

const controlCharacter = /^[\x00-\x08\x0a-\x1f\x7f-\x9f]/;

/** Parses terminal output. Only the texts of links are kept. Unsupported sequences are dropped. */
export function parseAnsi(text: string): AnsiSegment[] {
  const screen = new TerminalScreen();
  for (const match of text.slice(-maxParsedUnits).matchAll(tokenPattern)) {
    const [token, params = '', command] = match;
    if (command !== undefined) screen.runSequence(command, params);
    else screen.applyTextOrControlCharacter(token);
  }
  return toSegments(screen.lines);
}

class TerminalScreen {
  readonly lines: AnsiLine[] = [{ cells: [], styles: [] }];
  private cursorRow = 0;
  private cursorColumn = 0;
  private currentStyle = plainStyle;

  applyTextOrControlCharacter(token: string): void {
    if (token === '\n') this.moveTo(this.cursorRow + 1, 0);
    else if (token === '\r') this.cursorColumn = 0;
    else if (token === '\b') this.cursorColumn = Math.max(0, this.cursorColumn - 1);
    else if (!controlCharacter.test(token)) this.write(token);
  }

  runSequence(command: string, params: string): void {
    const count = Math.min(Math.max(1, Number.parseInt(params, 10) || 1), maxColumn);
    if (command === 'm') this.currentStyle = applyStyleCodes(this.currentStyle, params);
    else if (command === 'K') this.eraseInLine(params);
    else if (command === 'J' && (params === '' || params === '0')) this.eraseBelow();
    else if (command === 'A') this.cursorRow = Math.max(0, this.cursorRow - count);
    else if (command === 'B') this.cursorRow = Math.min(this.lines.length - 1, this.cursorRow + count);
    else if (command === 'C') this.cursorColumn = Math.min(maxColumn, this.cursorColumn + count);
    else if (command === 'D') this.cursorColumn = Math.max(0, this.cursorColumn - count);
    else if (command === 'G') this.cursorColumn = count - 1;
  }

  private get currentLine(): AnsiLine {
    const found = this.lines[this.cursorRow];
    if (found) return found;
    const line: AnsiLine = { cells: [], styles: [] };
    this.lines[this.cursorRow] = line;
    return line;
  }

  private moveTo(row: number, column: number): void {
    this.cursorRow = row;
    this.cursorColumn = column;
    if (row === this.lines.length) this.lines.push({ cells: [], styles: [] });
  }

  private write(text: string): void {
    const { cells, styles } = this.currentLine;
    while (cells.length < this.cursorColumn) {
      cells.push(' ');
      styles.push(plainStyle);
    }
    for (const character of text) {
      if (this.cursorColumn > 0 && joinsPreviousCell(character)) {
        cells[this.cursorColumn - 1] = (cells[this.cursorColumn - 1] ?? '') + character;
        continue;
      }
      cells[this.cursorColumn] = character;
      styles[this.cursorColumn] = this.currentStyle;
      this.cursorColumn++;
    }
  }

  private eraseInLine(params: string): void {
    const { cells, styles } = this.currentLine;
    if (params === '1') {
      const end = Math.min(this.cursorColumn + 1, cells.length);
      cells.fill(' ', 0, end);
      styles.fill(plainStyle, 0, end);
      return;
    }
    const from = params === '2' ? 0 : this.cursorColumn;
    cells.length = Math.min(cells.length, from);
    styles.length = cells.length;
  }

  private eraseBelow(): void {
    this.eraseInLine('0');
    this.lines.length = this.cursorRow + 1;
  }
}

/** Whether a character belongs to the previous cell: combining marks, joiners and variation selectors. */
function joinsPreviousCell(character: string): boolean {
  return character > '\u02ff' && /^[\p{M}\u200d]$/u.test(character);
}

type StyleFlag = 'bold' | 'dim' | 'italic' | 'underline' | 'inverse' | 'strike';
const flagsByCode: Readonly<Record<number, StyleFlag>> = {
  1: 'bold',
  2: 'dim',
  3: 'italic',
  4: 'underline',
  7: 'inverse',
  9: 'strike',
  21: 'underline',
};
const clearedByCode: Readonly<Record<number, readonly (keyof AnsiStyle)[]>> = {
  22: ['bold', 'dim'],
  23: ['italic'],
  24: ['underline'],
  27: ['inverse'],
  29: ['strike'],
  39: ['fg'],
  49: ['bg'],
};

function applyStyleCodes(style: AnsiStyle, params: string): AnsiStyle {
  const codes = params.split(';');
  let after: AnsiStyle = style;
  for (let at = 0; at < codes.length; at++) {
    const [code = 0, ...details] = (codes[at] ?? '').split(':').map(Number);
    if (code === 38 || code === 48) {
      // `38;5;n` and `38;2;r;g;b` continue in the codes that follow. `38:5:n` and `38:2::r:g:b` are complete.
      const isInline = details.length > 0;
      const rest = isInline ? details : codes.slice(at + 1, at + 5).map(Number);
      const color = parseExtendedColor(rest);
      if (!isInline) at += rest[0] === 5 ? 2 : 4;
      if (color !== undefined) after = { ...after, [code === 38 ? 'fg' : 'bg']: color };
    } else {
      after = applyStyleCode(after, code, details);
    }
  }
  return after;
}

function applyStyleCode(style: AnsiStyle, code: number, details: readonly number[]): AnsiStyle {
  if (code === 0) return plainStyle;
  if (code === 4 && details[0] === 0) return withoutStyles(style, ['underline']);
  const on = flagsByCode[code];
  if (on) return { ...style, [on]: true };
  const off = clearedByCode[code];
  if (off) return withoutStyles(style, off);
  if (code >= 30 && code <= 37) return { ...style, fg: code - 30 };
  if (code >= 40 && code <= 47) return { ...style, bg: code - 40 };
  if (code >= 90 && code <= 97) return { ...style, fg: code - 82 };
  if (code >= 100 && code <= 107) return { ...style, bg: code - 92 };
  return style;
}

function withoutStyles(style: AnsiStyle, keys: readonly (keyof AnsiStyle)[]): AnsiStyle {
  return Object.fromEntries(Object.entries(style).filter(([key]) => !keys.some((gone) => gone === key)));
}

/** Parses `5;n` or `2;r;g;b`. With colons, there may be a color space between `2` and `r`. */
function parseExtendedColor([kind, ...values]: readonly number[]): AnsiColor | undefined {
  if (kind === 5) return paletteColor(values[0]);
  if (kind !== 2) return undefined;
  const [r, g, b] = values.slice(-3);
  return [r, g, b].every(isByte) ? `rgb(${r}, ${g}, ${b})` : undefined;
}

function paletteColor(index: number | undefined): AnsiColor | undefined {
  if (!isByte(index)) return undefined;
  if (index < 16) return index;
  if (index >= 232) {
    const grey = (index - 232) * 10 + 8;
    return `rgb(${grey}, ${grey}, ${grey})`;
  }
  const level = (step: number): number => (step === 0 ? 0 : step * 40 + 55);
  const cube = index - 16;
  return `rgb(${level(Math.floor(cube / 36))}, ${level(Math.floor(cube / 6) % 6)}, ${level(cube % 6)})`;
}

function isByte(value: number | undefined): value is number {
  return value !== undefined && value >= 0 && value <= 255;
}

function toSegments(lines: readonly AnsiLine[]): AnsiSegment[] {
  const segments: AnsiSegment[] = [];
  let style = plainStyle;
  let text = '';
  const flush = (): void => {
    if (text !== '') segments.push({ text, ...style });
    text = '';
  };
  for (const [row, { cells, styles }] of lines.entries()) {
    // A line feed has no visible style, so it gets the previous one.
    if (row > 0) text += '\n';
    for (const [column, cell] of cells.entries()) {
      const next = styles[column] ?? plainStyle;
      if (next !== style && !isSameStyle(next, style)) flush();
      style = next;
      text += cell;
    }
  }
  flush();
  return segments;
}

const styleKeys = ['fg', 'bg', 'bold', 'dim', 'italic', 'underline', 'inverse', 'strike'] as const;

function isSameStyle(a: AnsiStyle, b: AnsiStyle): boolean {
  return styleKeys.every((key) => a[key] === b[key]);
}
