import { Automaton, type GlobWork, type State } from './globAutomaton';

interface GlobOptions {
  /** Texts are compared in the case of `foldCase`, which the paths must have. */
  readonly ignoresCase?: boolean;
  /** Whether a leading `!` makes the matcher accept what the rest of the glob does not. */
  readonly canNegate?: boolean;
  /** Whether what is in a matching folder also matches. */
  readonly includesContents?: boolean;
}

/**
 * Matches paths with `/` as separator, and without `.` and `..`, against a glob with `*`, `**`, `?`, `[]`, `{}`, `(|)` and
 * `!()`, `@()`, `?()`, `*()` and `+()`. Brackets without their counterpart are ordinary characters. Names that start with a
 * dot are like others. All alternatives run side by side, and none goes back, so the work is at most the length of the path
 * times that of the glob, and times the length of a name for each level of `!()`. Both factors of the glob are limited.
 */
export class GlobMatcher {
  private readonly work: GlobWork = { steps: 0, kept: 0, generation: 0, states: 0 };
  private readonly automaton: Automaton;
  private readonly isNegated: boolean;
  /** A text that each matching path contains. To look for it is much faster than to match. */
  private readonly needed: string;
  private readonly spelled: string;

  /** @throws Error if the glob is too long, has too many groups, is nested too deeply, or has a range or an invalid bracket */
  constructor(glob: string, options: GlobOptions = {}) {
    const marks = options.canNegate === true ? (/^(?:!(?!\())+/.exec(glob)?.[0].length ?? 0) : 0;
    this.isNegated = marks % 2 === 1;
    this.spelled = options.ignoresCase === true ? foldCase(glob.slice(marks)) : glob.slice(marks);
    ({ automaton: this.automaton, needed: this.needed } = new GlobReader(glob.slice(marks), options, this.work).read());
  }

  /** How much work matching has been, for tests of the limit that is said above. */
  get stepCount(): number {
    return this.work.steps;
  }

  /** How much is kept to match faster, for tests of its limit. */
  get keptCount(): number {
    return this.work.kept;
  }

  /** Also true for the path that the glob spells. */
  isMatch(path: string): boolean {
    if (path === '') return false;
    const isPositive =
      path === this.spelled ||
      (path.includes(this.needed) && !/(?:^|\/)\.\.?(?:\/|$)/.test(path) && this.automaton.isMatch(path));
    return isPositive !== this.isNegated;
  }
}

/** Returns the text with all UTF-16 units in one case. Its length stays the same. */
export function foldCase(text: string): string {
  return /^[\0-\x7f]*$/.test(text) ? text.toLowerCase() : text.replace(/[^\0-@[-`{-\x7f]/g, foldUnit);
}

/** Both steps, because a letter can have several forms in lower case, such as a sigma at the end of a word. */
function foldUnit(unit: string): string {
  const folded = unit.toUpperCase().toLowerCase();
  return folded.length === 1 ? folded : unit;
}

/** In UTF-16 units. */
const maxGlobLength = 1_000;
const maxDepth = 50;
/** Each can multiply the work by the length of a name. */
const maxExceptions = 30;
const isAny = (): boolean => true;
const isInName = (code: number): boolean => code !== 47;

/** Reads a glob from left to right, and makes the states of its automaton. */
class GlobReader {
  private index = 0;
  private depth = 0;
  private exceptions = 0;
  /** Where the groups start that are closed. */
  private readonly groups: ReadonlySet<number>;
  /** The text outside groups that has just been read. */
  private run = '';
  private longestRun = '';
  private automaton: Automaton;
  private last: State;

  constructor(
    private readonly glob: string,
    private readonly options: GlobOptions,
    private readonly work: GlobWork,
  ) {
    if (glob.length > maxGlobLength) throw new Error(`it has more than ${maxGlobLength} characters`);
    this.groups = findGroups(glob);
    this.automaton = new Automaton(work);
    this.last = this.automaton.first;
  }

  /** `needed` is the longest text outside groups. It is empty if there are alternatives outside groups. */
  read(): { readonly automaton: Automaton; readonly needed: string } {
    const needed = this.readOptions('|', '') > 1 ? '' : this.longestRun;
    if (this.options.includesContents === true) this.addContents();
    this.automaton.end = this.last;
    return { automaton: this.automaton, needed };
  }

  /** Reads up to the closing letter. @returns the number of options, which all lead to the same last state */
  private readOptions(separator: string, closing: string): number {
    if (++this.depth > maxDepth) throw new Error('it is nested too deeply');
    const [first, end] = [this.last, this.automaton.addState()];
    let count = 0;
    do {
      if (count++ > 0) this.index++;
      first.next.push((this.last = this.automaton.addState()));
      this.readSequence(separator, closing);
      this.last.next.push(end);
    } while (separator !== '' && this.glob[this.index] === separator);
    if (closing !== '') this.index++;
    this.last = end;
    this.depth--;
    return count;
  }

  private readSequence(separator: string, closing: string): void {
    const { glob, index: start } = this;
    const isEnd = (at: number): boolean => at >= glob.length || glob[at] === separator || glob[at] === closing;
    const isNameEnd = (at: number): boolean => isEnd(at) || glob[at] === '/';
    while (!isEnd(this.index)) {
      const at = this.index;
      if (this.readGroup() || this.readBracket()) continue;
      const letter = glob.charAt(this.index++);
      if (letter === '\\' && this.index < glob.length) this.addText(glob.charAt(this.index++));
      else if (letter === '?') this.addUnit(isInName);
      else if (letter === '*') {
        while (glob[this.index] === '*' && glob[this.index + 1] !== '(') this.index++;
        const stars = this.index - at;
        const isName = (at === start || glob[at - 1] === '/') && isNameEnd(this.index);
        if (!isName || stars > 2) this.addRepeated(isInName);
        else if (stars === 1) this.addUnit(isInName).addRepeated(isInName);
        else if (isEnd(this.index)) this.addRepeated(isAny);
        else {
          this.index++;
          this.addOptional(() => this.addRepeated(isAny).addText('/'));
        }
      } else if (letter === '/') {
        let rest = at;
        while (glob.startsWith('/**', rest) && isNameEnd(rest + 3)) rest += 3;
        // As in picomatch, `a/**` includes the folder itself, and `*/**` does not.
        if (rest === at || !isEnd(rest) || glob[at - 1] === '*') this.addText(letter);
        else {
          this.index = rest;
          this.addContents();
        }
      } else this.addText(letter);
    }
  }

  /** Reads `{a,b}`, `(a|b)`, and the same after one of `!@?*+`. */
  private readGroup(): boolean {
    const { glob, index } = this;
    const mark = /[!@?*+]/.test(glob.charAt(index)) && glob[index + 1] === '(' ? glob.charAt(index) : '';
    if (!this.groups.has(index + mark.length)) return false;
    this.index += mark.length + 1;
    if (mark === '!') this.readException();
    else if (glob[index] === '{') this.readBraces();
    else {
      const first = this.addEmpty();
      this.readOptions('|', ')');
      if (mark === '*' || mark === '?') first.next.push(this.last);
      if (mark === '*' || mark === '+') this.last.next.push(first);
    }
    return true;
  }

  private readException(): void {
    if (++this.exceptions > maxExceptions) throw new Error(`it has more than ${maxExceptions} groups with "!"`);
    const { automaton, index } = this;
    const state = this.addEmpty();
    const inner = new Automaton(this.work);
    this.automaton = inner;
    this.last = inner.first;
    this.readOptions('|', ')');
    inner.end = this.last;
    this.automaton = automaton;
    state.except = { automaton: inner, hasSlash: this.glob.slice(index, this.index).includes('/') };
    state.next.push((this.last = automaton.addState()));
  }

  /** Braces without a comma are ordinary characters. Ranges are refused, because others expand them. */
  private readBraces(): void {
    const { index } = this;
    const open = this.addEmpty();
    if (this.readOptions(',', '}') > 1) return;
    const range = this.glob.slice(index, this.index - 1);
    if (/^[^{}]+\.\.[^{}]+$/.test(range))
      throw new Error(`it has the range "{${range}}": list the options with commas`);
    const after = open.next.pop();
    if (after) Object.assign(open, { accepts: (code: number) => code === '{'.charCodeAt(0), after });
    this.addText('}');
  }

  /** Reads `[a-z]` or `[!a]`. One without special characters also matches its own text, as in `app/[id]/page.ts`. */
  private readBracket(): boolean {
    const { glob, index } = this;
    if (glob[index] !== '[') return false;
    const found = findBracket(glob, index);
    if (!found) return false;
    const [whole, negation, inner = ''] = found;
    if (/\[:\w+:/.test(inner)) throw new Error('names of classes, such as [:alpha:], are not supported');
    this.index += whole.length;
    const first = this.addEmpty();
    const members = inner.replace(/\\?([^])/g, (text, letter: string) => (text === '-' ? text : escapeMember(letter)));
    // Throws an error if a range is in the wrong order.
    const pattern = new RegExp(`[${negation ? '^' : ''}${members}]`, this.options.ignoresCase === true ? 'i' : '');
    this.addUnit((code) => isInName(code) && pattern.test(String.fromCharCode(code)));
    if (negation !== undefined || /[-*+?.^${}(|)[\]!\\]/.test(inner)) return true;
    const end = this.last;
    first.next.push((this.last = this.automaton.addState()));
    this.depth++;
    this.addText(whole);
    this.depth--;
    this.last.next.push(end);
    this.last = end;
    return true;
  }

  private addText(text: string): this {
    const run = this.depth === 1 ? this.run + this.folded(text) : '';
    for (const unit of this.folded(text).split('')) this.addUnit((code) => code === unit.charCodeAt(0));
    this.run = run;
    if (run.length > this.longestRun.length) this.longestRun = run;
    return this;
  }

  private folded(text: string): string {
    return this.options.ignoresCase === true ? foldCase(text) : text;
  }

  private addUnit(accepts: (code: number) => boolean): this {
    const { last } = this;
    last.accepts = accepts;
    last.after = this.last = this.automaton.addState();
    this.run = '';
    return this;
  }

  private addRepeated(accepts: (code: number) => boolean): this {
    const loop = this.addEmpty();
    Object.assign(loop, { accepts, after: loop });
    this.addEmpty();
    return this;
  }

  private addOptional(add: () => void): void {
    const first = this.addEmpty();
    this.depth++;
    add();
    this.depth--;
    first.next.push(this.addEmpty());
  }

  /** Adds what is in a folder, and the folder itself. */
  private addContents(): void {
    this.addOptional(() => this.addText('/').addRepeated(isAny));
  }

  /** Adds a state to which the last one leads by itself. */
  private addEmpty(): State {
    const state = this.automaton.addState();
    this.last.next.push(state);
    this.last = state;
    this.run = '';
    return state;
  }
}

function findBracket(glob: string, index: number): RegExpExecArray | null {
  return /^\[([!^](?!\]))?((?:\\.|.)(?:\\.|[^\]\\])*)\]/s.exec(glob.slice(index));
}

/** Returns the places of the `(` and `{` that have a counterpart. */
function findGroups(glob: string): ReadonlySet<number> {
  const groups = new Set<number>();
  const open: number[] = [];
  for (let index = 0; index < glob.length; index++) {
    const letter = glob.charAt(index);
    if (letter === '\\') index++;
    else if (letter === '[') index += (findBracket(glob, index)?.[0].length ?? 1) - 1;
    else if (letter === '(' || letter === '{') open.push(index);
    else if (letter === ')' || letter === '}') {
      const depth = open.findLastIndex((at) => glob[at] === (letter === ')' ? '(' : '{'));
      const start = open[depth];
      if (start === undefined) continue;
      groups.add(start);
      open.length = depth;
    }
  }
  return groups;
}

function escapeMember(letter: string): string {
  return /\w/.test(letter) ? letter : `\\${letter}`;
}
