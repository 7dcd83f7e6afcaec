/** One assignment in a Git configuration file. */
export interface GitConfigEntry {
  /** Name of the section in lower case, without the subsection. */
  readonly section: string;
  /** Name of the key in lower case. */
  readonly key: string;
  readonly value: string;
}

const headerPattern = /^\[[ \t]*([A-Za-z0-9.-]+)(?:[ \t]+"(?:[^"\\]|\\.)*")?[ \t]*\]/;
const keyPattern = /^([A-Za-z][A-Za-z0-9-]*)[ \t]*=/;
const escapes: Readonly<Record<string, string>> = { n: '\n', t: '\t', b: '\b' };

/** Keys whose values Git runs, by section. `*` stands for all keys. */
const programKeys: Readonly<Record<string, readonly string[]>> = {
  alias: ['*'],
  core: ['fsmonitor', 'sshcommand', 'gitproxy', 'pager', 'editor', 'askpass', 'alternaterefscommand'],
  credential: ['helper'],
  diff: ['command', 'external', 'textconv'],
  difftool: ['cmd', 'path'],
  filter: ['clean', 'smudge', 'process'],
  gpg: ['program', 'defaultkeycommand'],
  interactive: ['difffilter'],
  merge: ['driver'],
  mergetool: ['cmd', 'path'],
  pager: ['*'],
  remote: ['receivepack', 'uploadpack'],
  sendemail: ['sendmailcmd', 'tocmd', 'cccmd', 'headercmd'],
  sequence: ['editor'],
  submodule: ['update'],
  trailer: ['cmd', 'command'],
  uploadpack: ['packobjectshook'],
};

/** Whether Git runs the value as a program or shell command. */
export function namesProgram({ section, key }: GitConfigEntry): boolean {
  const keys = Object.hasOwn(programKeys, section) ? (programKeys[section] ?? []) : [];
  return keys.includes('*') || keys.includes(key);
}

/** Parses a Git configuration file. Ignores invalid lines and does not follow includes. */
export function parseGitConfig(text: string): GitConfigEntry[] {
  const entries: GitConfigEntry[] = [];
  const lines = text.replace(/^\ufeff/, '').split(/\r?\n/);
  let section = '';
  for (let index = 0; index < lines.length; index++) {
    let line = (lines[index] ?? '').trimStart();
    const headerMatch = headerPattern.exec(line);
    if (headerMatch) {
      section = (headerMatch[1] ?? '').toLowerCase();
      line = line.slice(headerMatch[0].length).trimStart();
    }
    const keyMatch = keyPattern.exec(line);
    if (!keyMatch) continue;
    const value = new ValueParser();
    value.addLine(line.slice(keyMatch[0].length));
    while (value.isContinued && index + 1 < lines.length) value.addLine(lines[++index] ?? '');
    entries.push({ section, key: (keyMatch[1] ?? '').toLowerCase(), value: value.text });
  }
  return entries;
}

/** Parses a value with quotes, escapes, continuation lines and a trailing comment. */
class ValueParser {
  /** Whether the last line ended with a backslash. */
  isContinued = false;
  text = '';
  /** White space that is part of the value only if more text follows. */
  private pendingBlanks = '';
  private isQuoted = false;

  addLine(line: string): void {
    this.isContinued = false;
    for (let index = 0; index < line.length; index++) {
      const character = line[index] ?? '';
      if (character === '\\') {
        if (index === line.length - 1) {
          this.isContinued = true;
          return;
        }
        const escaped = line[++index] ?? '';
        this.addCharacter(escapes[escaped] ?? escaped);
      } else if (character === '"') this.isQuoted = !this.isQuoted;
      else if (!this.isQuoted && (character === '#' || character === ';')) return;
      else if (!this.isQuoted && (character === ' ' || character === '\t')) this.pendingBlanks += character;
      else this.addCharacter(character);
    }
  }

  private addCharacter(character: string): void {
    if (this.text !== '') this.text += this.pendingBlanks;
    this.pendingBlanks = '';
    this.text += character;
  }
}
