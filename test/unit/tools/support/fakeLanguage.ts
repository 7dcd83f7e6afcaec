import type { Range } from '../../../../src/editor/common/editorPort';
import type {
  HierarchyCall,
  HierarchyItem,
  FilePosition,
  FoundSymbol,
  LanguagePort,
  OutlineSymbol,
  Place,
} from '../../../../src/tools/common/languagePort';
import type { LanguageEditPort, ProposedAction, ProposedEdits } from '../../../../src/tools/common/languageEditPort';
import type { FileMatches, TextQuery, TextSearch } from '../../../../src/tools/common/search/textSearch';
import type { KnownTask } from '../../../../src/tools/common/taskPort';
import type { SelectedTests, TestPort } from '../../../../src/tools/common/testPort';
import type { ToolPorts } from '../../../../src/tools/common/toolPorts';
import type { OpenFile } from '../../../../src/tools/common/windowPort';
import { EditorTools } from '../../../../src/tools/common/editorTools';
import { FakeToolCaller } from '../../../fake/fakeToolCaller';
import { FakeClock } from '../../../fake/fakeClock';
import { FakeEditor } from '../../../fake/fakeEditor';

/** Language servers that say what the test wants, of whatever they are asked. */
export class FakeLanguage implements LanguagePort {
  readonly asked: FilePosition[] = [];
  places: readonly Place[] = [];
  definitionPlaces: readonly Place[] = [];
  hoverTexts: readonly string[] = [];
  outlines: Record<string, readonly OutlineSymbol[]> = {};
  symbols: () => Promise<readonly FoundSymbol[]> = () => Promise.resolve([]);
  items: readonly HierarchyItem[] = [];
  callsOfItem: (item: HierarchyItem) => Promise<readonly HierarchyCall[]> = () => Promise.resolve([]);

  definitions(_kind: string, at: FilePosition): Promise<readonly Place[]> {
    this.asked.push(at);
    return Promise.resolve(this.definitionPlaces);
  }
  references(at: FilePosition): Promise<readonly Place[]> {
    this.asked.push(at);
    return Promise.resolve(this.places);
  }
  implementations(at: FilePosition): Promise<readonly Place[]> {
    return this.references(at);
  }
  hovers(at: FilePosition): Promise<readonly string[]> {
    this.asked.push(at);
    return Promise.resolve(this.hoverTexts);
  }
  outline(path: string): Promise<readonly OutlineSymbol[]> {
    return Promise.resolve(this.outlines[path] ?? []);
  }
  workspaceSymbols(): Promise<readonly FoundSymbol[]> {
    return this.symbols();
  }
  callItemsAt(): Promise<readonly HierarchyItem[]> {
    return Promise.resolve(this.items);
  }
  callsOf(_direction: string, item: HierarchyItem): Promise<readonly HierarchyCall[]> {
    return this.callsOfItem(item);
  }
}

/** Proposes what the test wants. */
export class FakeLanguageEdits implements LanguageEditPort {
  renames: (at: FilePosition, newName: string) => Promise<readonly ProposedEdits[]> = () => Promise.resolve([]);
  formatted: readonly ProposedEdits[] = [];
  /** Runs before each answer, as what the user does while a language server works. */
  meanwhile: () => void = () => undefined;
  actions: (range: Range) => readonly ProposedAction[] = () => [];

  renameEdits(at: FilePosition, newName: string): Promise<readonly ProposedEdits[]> {
    this.meanwhile();
    return this.renames(at, newName);
  }
  formatEdits(): Promise<readonly ProposedEdits[]> {
    this.meanwhile();
    return Promise.resolve(this.formatted);
  }
  codeActions(_path: string, range: Range): Promise<readonly ProposedAction[]> {
    this.meanwhile();
    return Promise.resolve(this.actions(range));
  }
}

/** Tests as the test wants. */
export class FakeTests implements TestPort {
  isAvailable = true;
  readonly runs: SelectedTests[] = [];
  testsByFile: Record<string, readonly (readonly string[])[]> = {};
  knownProviders: readonly string[] = [];
  results: (signal: AbortSignal) => Promise<string> = () => Promise.resolve('<summary passed=1 failed=0 />\n');

  providers(): Promise<readonly string[]> {
    return Promise.resolve(this.knownProviders);
  }
  testsIn(file: string): Promise<readonly (readonly string[])[]> {
    return Promise.resolve(this.testsByFile[file] ?? []);
  }
  run(selected: SelectedTests, signal: AbortSignal): Promise<string> {
    this.runs.push(selected);
    return this.results(signal);
  }
  lastFailures(signal: AbortSignal): Promise<string> {
    return this.results(signal);
  }
}

/** The tools over an editor in memory. */
export class ToolBench {
  readonly clock = new FakeClock();
  readonly language = new FakeLanguage();
  readonly languageEdits = new FakeLanguageEdits();
  readonly tests = new FakeTests();
  readonly editor: FakeEditor;
  readonly tools: EditorTools;
  readonly caller = new FakeToolCaller();
  openFiles: OpenFile[] = [];
  knownTasks: readonly KnownTask[] = [];
  found: (query: TextQuery, signal: AbortSignal) => AsyncIterable<FileMatches> = async function* () {
    await Promise.resolve();
    yield* [];
  };

  constructor(files: Record<string, string>, folders?: readonly string[]) {
    this.editor = new FakeEditor(files, folders);
    const openFiles = (): OpenFile[] => this.openFiles;
    const search: TextSearch = { findText: (query, signal) => this.found(query, signal) };
    const window: ToolPorts['window'] = {
      get openFiles() {
        return openFiles();
      },
      unsavedFiles: [],
      languageOf: () => 'typescript',
    };
    const { clock, editor, language, languageEdits, tests } = this;
    const tasks = { tasks: () => Promise.resolve(this.knownTasks) };
    this.tools = new EditorTools({ editor, language, languageEdits, search, tasks, tests, window, clock });
  }

  async call(name: string, input: object = {}, signal = new AbortController().signal): Promise<string> {
    const tool = this.tools.tools.find(({ definition }) => definition.name === name);
    if (!tool) throw new Error(`There is no tool ${name}`);
    return await tool.run(input, signal, this.caller);
  }
}

export function lineRange(line: number, from = 0, to = from): Range {
  return { start: { line, character: from }, end: { line, character: to } };
}

export function placeIn(path: string | undefined, line: number, character = 0): Place {
  return { path, range: lineRange(line, character) };
}

export function symbolAt(
  name: string,
  kind: string,
  first: number,
  last: number,
  ...children: OutlineSymbol[]
): OutlineSymbol {
  const range = { start: { line: first, character: 0 }, end: { line: last, character: 1 } };
  return { name, kind, detail: '', range, nameRange: lineRange(first), children };
}
