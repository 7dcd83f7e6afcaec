import { messageOf } from '../../../base/common/errors';
import type { Logger } from '../../../base/common/log';
import { showHiddenCharacters } from '../../../base/common/text/hiddenCharacters';
import { toVisibleText } from '../../../base/common/text/visibleText';
import { innermostFolder } from '../../../editor/common/boundary';
import type { EditorPort } from '../../../editor/common/editorPort';
import { DraftAttachment, type Draft, type MentionRow, type PromptFileRow } from '../chatView';
import { fillPrompt, type EditorFacts } from './fillPrompt';
import { argumentHintOf, parsePromptFile, type PromptFile, type PromptFileStyle, type PromptInput } from './promptFile';
import { promptReferences } from './promptReferences';

/** A prompt file of the user, outside of the workspace. */
export interface UserPromptFile {
  /** Absolute path. */
  readonly path: string;
  /** Path in the folder of such files, with `/`. */
  readonly relativePath: string;
  readonly style: PromptFileStyle;
}

interface PromptFilesPorts {
  readonly editor: Pick<EditorPort, 'activeSelection' | 'folders' | 'glob' | 'readText' | 'visibleFiles'>;
  /** Folders with prompt files of VS Code, relative to each workspace folder, without `/` at the end; empty for itself. */
  readonly workspaceFolders: () => readonly string[];
  /** Lists the user's own prompt files. Never rejects. */
  readonly listUserFiles: () => Promise<readonly UserPromptFile[]>;
  /** Reads a file of `listUserFiles`. @throws Error if it is larger than `maxBytes` or can't be read */
  readonly readUserFile: (path: string, maxBytes: number) => Promise<string>;
  /** Returns rows for files by path, without those that are missing or outside. Never rejects. */
  readonly rowsOf: (paths: readonly string[]) => Promise<MentionRow[]>;
  readonly isTrusted: () => boolean;
  /** Asks the user for an input of the prompt file. Resolves to undefined if the user cancels. */
  readonly ask: (name: string, input: PromptInput) => Promise<string | undefined>;
  readonly notify: (text: string) => void;
  readonly log: Logger;
}

interface FoundFile extends UserPromptFile {
  readonly origin: PromptFileRow['origin'];
}

interface ReadFile extends FoundFile {
  readonly row: PromptFileRow;
  readonly content: PromptFile | undefined;
}

/** Of each folder of the workspace, so that none takes the place of another. The user's have a limit of their own. */
const maxFiles = 100;
/** Of each file. */
const maxBytes = 64 * 1024;
const claudeFolder = { folder: '.claude/commands/', glob: '.claude/commands/**/*.md', style: 'claude' } as const;

/**
 * Prompts in files of the workspace and of the user, for any agent. They only become text in the composer: commands in them are
 * not run, and the tools, models and permissions in their headers are ignored. Files are read each time.
 */
export class PromptFiles {
  constructor(private readonly ports: PromptFilesPorts) {}

  /** Lists the files, the workspace's first. Each has a name of its own. Never rejects. */
  async list(): Promise<PromptFileRow[]> {
    return (await this.readAll()).map(({ row }) => row);
  }

  /**
   * Returns the text of a listed file with the arguments filled in, and what it refers to. Undefined if the user cancels.
   * @throws Error with a message for the user
   */
  async fill(id: string, args: string): Promise<Draft | undefined> {
    const file = (await this.readAll()).find(({ row }) => row.id === id);
    if (!file) throw new Error('This prompt file does not exist any more.');
    const { content, relativePath, row, style } = file;
    if (!content) throw new Error(toVisibleText(`${relativePath} ${row.problem ?? 'cannot be read'}.`));
    const filled = await fillPrompt(content.body, style, args, {
      editor: this.editorFacts(),
      ask: (input) => this.ports.ask(row.name, input),
    }).catch((error: unknown) => {
      throw new Error(`/${row.name} can’t be used: ${messageOf(error)}`, { cause: error });
    });
    if (!filled) return undefined;
    const { commands } = filled;
    // The user reads the text before it is sent, so that nothing in it may be invisible.
    const text = showHiddenCharacters(filled.text);
    if (commands.length > 0) {
      this.ports.notify(
        `Commands in /${row.name} were not run, they are only part of its text: ${toVisibleText(commands.join(', '))}`,
      );
    }
    const folder = file.path.replace(/[\\/][^\\/]*$/, '');
    const references = promptReferences(content.body, style);
    const paths = style === 'vscode' ? references.map((path) => `${folder}/${path}`) : references;
    const rows = await this.ports.rowsOf(paths);
    return { text, attachments: rows.map((row) => DraftAttachment.parse(row)) };
  }

  private async readAll(): Promise<ReadFile[]> {
    const [ofWorkspace, ofUser] = await Promise.all([this.listWorkspaceFiles(), this.ports.listUserFiles()]);
    const found = [...ofWorkspace, ...ofUser.map((file): FoundFile => ({ ...file, origin: 'user' }))];
    const read = await Promise.all(found.map((file) => this.read(file)));
    const names = new Set<string>();
    return read.map((file): ReadFile => {
      const name = freeName(file.row, names);
      names.add(name);
      return { ...file, row: { ...file.row, name } };
    });
  }

  private async listWorkspaceFiles(): Promise<FoundFile[]> {
    const { editor, isTrusted, log, workspaceFolders } = this.ports;
    if (!isTrusted()) return [];
    const ofVsCode = workspaceFolders().map((name) => {
      const folder = name === '' ? '' : `${name}/`;
      return { folder: '/', glob: `${folder}*.prompt.md`, style: 'vscode' } as const;
    });
    const lists = [...ofVsCode, claudeFolder].map(async ({ folder, glob, style }): Promise<FoundFile[]> => {
      const paths = await editor.glob(glob, { maxResults: maxFiles });
      return paths.map((path) => {
        const position = path.replaceAll('\\', '/').lastIndexOf(folder);
        return {
          path,
          relativePath: path.slice(position + folder.length).replaceAll('\\', '/'),
          style,
          origin: 'workspace',
        };
      });
    });
    const found = await Promise.allSettled(lists);
    return found.flatMap((result) => {
      if (result.status === 'fulfilled') return result.value;
      log.error('cannot list the prompt files of the workspace', result.reason);
      return [];
    });
  }

  private async read(file: FoundFile): Promise<ReadFile> {
    const { origin, path: id, relativePath, style } = file;
    const fileName = commandNameOf(relativePath, style);
    const refused = (problem: string): ReadFile => ({
      ...file,
      row: { id, name: fileName, origin, description: `This file ${problem}`, problem },
      content: undefined,
    });
    let content: ReturnType<typeof parsePromptFile>;
    try {
      content = parsePromptFile(await this.readText(file));
    } catch (error) {
      this.ports.log.debug(`Cannot read a prompt file: ${messageOf(error)}`);
      return refused(`cannot be read: ${messageOf(error)}`);
    }
    if (typeof content === 'string') return refused(content);
    const hint = argumentHintOf(content, style);
    const name = style === 'vscode' ? (content.name === undefined ? fileName : asWord(content.name)) : fileName;
    const description = content.description ?? content.body.slice(0, maxDescriptionUnits).split('\n')[0] ?? '';
    return { ...file, row: { id, name, origin, description, ...(hint === undefined ? {} : { hint }) }, content };
  }

  private async readText({ origin, path }: FoundFile): Promise<string> {
    const { editor, readUserFile } = this.ports;
    if (origin === 'user') return await readUserFile(path, maxBytes);
    const { hasInvalidBytes, text } = await editor.readText(path, { maxBytes });
    if (hasInvalidBytes) throw new Error('it is not a text');
    return text;
  }

  private editorFacts(): EditorFacts {
    const { activeSelection, folders, visibleFiles } = this.ports.editor;
    const file = activeSelection?.path ?? visibleFiles[0];
    const paths = folders.map(({ path }) => path);
    return {
      folder: (file === undefined ? undefined : innermostFolder(file, paths, false)) ?? paths[0],
      file,
      selection: activeSelection?.selections[0]?.text,
    };
  }
}

const maxDescriptionUnits = 200;

/** Returns what the user types after `/`, as VS Code, Claude Code and Codex have it. */
function commandNameOf(relativePath: string, style: PromptFileStyle): string {
  const name = asWord(relativePath.replace(style === 'vscode' ? /\.prompt\.md$/ : /\.md$/, ''));
  if (style === 'codex') return `prompts:${name}`;
  return style === 'vscode' ? name : name.replaceAll('/', ':');
}

function asWord(name: string): string {
  return showHiddenCharacters(name).replace(/\s+/g, '-');
}

/** A name that no other file has: the user's own is not hidden by one of the workspace. */
function freeName({ name, origin }: PromptFileRow, taken: ReadonlySet<string>): string {
  if (!taken.has(name)) return name;
  const own = origin === 'user' && !taken.has(`user:${name}`) ? `user:${name}` : undefined;
  let count = 2;
  while (taken.has(`${name}-${count}`)) count++;
  return own ?? `${name}-${count}`;
}
