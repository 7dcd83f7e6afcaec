/** One line of a Git configuration that sets something. */
export interface GitConfigEntry {
  /** In lower case, without the name of a subsection. */
  readonly section: string;
  /** In lower case. */
  readonly key: string;
  readonly value: string;
}

const header = /^\[[ \t]*([A-Za-z0-9.-]+)(?:[ \t]+"(?:[^"\\]|\\.)*")?[ \t]*\]/;
const name = /^([A-Za-z][A-Za-z0-9-]*)[ \t]*=/;
const escapes: Readonly<Record<string, string>> = { n: '\n', t: '\t', b: '\b' };

/** Reads the format of Git's configuration files. What is no line of it is passed over; includes are entries like others. */
export function gitConfigEntries(text: string): GitConfigEntry[] {
  const entries: GitConfigEntry[] = [];
  const lines = text.replace(/^\ufeff/, '').split(/\r?\n/);
  let section = '';
  for (let at = 0; at < lines.length; at++) {
    let line = (lines[at] ?? '').trimStart();
    const opened = header.exec(line);
    if (opened) {
      section = (opened[1] ?? '').toLowerCase();
      line = line.slice(opened[0].length).trimStart();
    }
    const named = name.exec(line);
    if (!named) continue;
    const value = new ValueReader();
    value.read(line.slice(named[0].length));
    while (value.goesOn && at + 1 < lines.length) value.read(lines[++at] ?? '');
    entries.push({ section, key: (named[1] ?? '').toLowerCase(), value: value.text });
  }
  return entries;
}

/** Reads a value that may go on over several lines, with quotes, escapes and a comment at its end. */
class ValueReader {
  /** The last line ended with a backslash. */
  goesOn = false;
  private value = '';
  /** Blanks, which only count when something follows. */
  private blanks = '';
  private isQuoted = false;

  get text(): string {
    return this.value;
  }

  read(line: string): void {
    this.goesOn = false;
    for (let at = 0; at < line.length; at++) {
      const character = line[at] ?? '';
      if (character === '\\') {
        if (at === line.length - 1) {
          this.goesOn = true;
          return;
        }
        const escaped = line[++at] ?? '';
        this.add(escapes[escaped] ?? escaped);
      } else if (character === '"') this.isQuoted = !this.isQuoted;
      else if (!this.isQuoted && (character === '#' || character === ';')) return;
      else if (!this.isQuoted && (character === ' ' || character === '\t')) this.blanks += character;
      else this.add(character);
    }
  }

  private add(character: string): void {
    // Blanks before the value are none of it.
    if (this.value !== '') this.value += this.blanks;
    this.blanks = '';
    this.value += character;
  }
}
