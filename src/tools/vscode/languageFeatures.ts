import { extname } from 'node:path';
import * as vscode from 'vscode';
import * as z from 'zod';
import type { Clock } from '../../base/common/async';
import type {
  Call,
  CallDirection,
  CallItem,
  DefinitionKind,
  FilePosition,
  FoundSymbol,
  LanguagePort,
  OutlineSymbol,
  Place,
} from '../common/languagePort';
import { LanguageQuestions } from '../common/calls/languageQuestions';
import { outlineOf, placeOf, rangeOf, symbolKind, toPosition } from './languageValues';

/** How long a tool waits; some language servers build their index on the first request. */
const answerMs = 12_000;
/** Limit of places, hovers or symbols per answer. */
const maxAnswers = 200_000;

const definitionCommands: Record<DefinitionKind, string> = {
  definition: 'vscode.executeDefinitionProvider',
  type: 'vscode.executeTypeDefinitionProvider',
  declaration: 'vscode.executeDeclarationProvider',
};
const callCommands: Record<CallDirection, string> = {
  incoming: 'vscode.provideIncomingCalls',
  outgoing: 'vscode.provideOutgoingCalls',
};

const HoverContent = z.union([z.string(), z.object({ language: z.string().optional(), value: z.string() })]);

type Symbols = readonly (vscode.DocumentSymbol | vscode.SymbolInformation)[] | undefined;
type Calls = readonly (vscode.CallHierarchyIncomingCall | vscode.CallHierarchyOutgoingCall)[] | undefined;
type Places = readonly (vscode.Location | vscode.LocationLink)[] | undefined;

/** The language port over VS Code's commands. */
export class LanguageFeatures implements LanguagePort {
  private readonly questions: LanguageQuestions;
  /** VS Code identifies a hierarchy item by object identity. */
  private readonly items = new WeakMap<CallItem, vscode.CallHierarchyItem>();

  constructor(clock: Clock) {
    this.questions = new LanguageQuestions(clock, answerMs);
  }

  async definitions(kind: DefinitionKind, at: FilePosition, signal: AbortSignal): Promise<readonly Place[]> {
    return places(await this.askAt<Places>(definitionCommands[kind], at, signal));
  }

  async references(at: FilePosition, signal: AbortSignal): Promise<readonly Place[]> {
    return places(await this.askAt<Places>('vscode.executeReferenceProvider', at, signal));
  }

  async implementations(at: FilePosition, signal: AbortSignal): Promise<readonly Place[]> {
    return places(await this.askAt<Places>('vscode.executeImplementationProvider', at, signal));
  }

  async hovers(at: FilePosition, signal: AbortSignal): Promise<readonly string[]> {
    const hovers = await this.askAt<readonly vscode.Hover[] | undefined>('vscode.executeHoverProvider', at, signal);
    return (hovers ?? []).flatMap(({ contents }) => contents).map(hoverText);
  }

  async outline(path: string, signal: AbortSignal): Promise<readonly OutlineSymbol[]> {
    const ask = async (): Promise<Symbols> => {
      const { uri } = await open(path);
      return await vscode.commands.executeCommand<Symbols>('vscode.executeDocumentSymbolProvider', uri);
    };
    const found = await this.questions.ask({ key: `outline ${path}`, group: groupOf(path), ask }, signal);
    return outlineOf((found ?? []).slice(0, maxAnswers));
  }

  async workspaceSymbols(query: string, signal: AbortSignal): Promise<readonly FoundSymbol[]> {
    const ask = async (): Promise<readonly vscode.SymbolInformation[] | undefined> =>
      await vscode.commands.executeCommand('vscode.executeWorkspaceSymbolProvider', query);
    const found = await this.questions.ask({ key: `symbols ${query}`, group: 'workspace symbols', ask }, signal);
    return (found ?? []).slice(0, maxAnswers).map(({ name, kind, containerName, location }) => ({
      name,
      kind: symbolKind(kind),
      container: containerName,
      ...placeOf(location),
    }));
  }

  async callable(at: FilePosition, signal: AbortSignal): Promise<readonly CallItem[]> {
    const found = await this.askAt<readonly vscode.CallHierarchyItem[] | undefined>(
      'vscode.prepareCallHierarchy',
      at,
      signal,
    );
    return (found ?? []).map((item) => this.keep(item));
  }

  async calls(direction: CallDirection, item: CallItem, signal: AbortSignal): Promise<readonly Call[]> {
    const known = this.items.get(item);
    if (!known) return [];
    const { line, character } = item.range.start;
    const key = `${direction} ${line}:${character} ${item.name} ${item.path ?? ''}`;
    const ask = async (): Promise<Calls> => await vscode.commands.executeCommand<Calls>(callCommands[direction], known);
    const found = await this.questions.ask({ key, group: groupOf(item.path ?? ''), ask }, signal);
    return (found ?? []).slice(0, maxAnswers).map((call) => ({
      item: this.keep('from' in call ? call.from : call.to),
      ranges: call.fromRanges.map(rangeOf),
    }));
  }

  private keep(item: vscode.CallHierarchyItem): CallItem {
    const place = placeOf({ uri: item.uri, range: item.selectionRange });
    const kept = { name: item.name, kind: symbolKind(item.kind), ...place, full: rangeOf(item.range) };
    this.items.set(kept, item);
    return kept;
  }

  private async askAt<T>(command: string, { path, position }: FilePosition, signal: AbortSignal): Promise<T> {
    const { line, character } = position;
    const ask = async (): Promise<T> => {
      const { uri } = await open(path);
      return await vscode.commands.executeCommand<T>(command, uri, toPosition(position));
    };
    const key = `${command} ${line}:${character} ${path}`;
    return await this.questions.ask({ key, group: groupOf(path), ask }, signal);
  }
}

/** Files with the same extension usually share a language server. */
function groupOf(path: string): string {
  return extname(path).toLowerCase();
}

/** An opened document stays known to language servers for minutes, so that they need not load it again. */
async function open(path: string): Promise<vscode.TextDocument> {
  return await vscode.workspace.openTextDocument(vscode.Uri.file(path));
}

function places(found: Places): readonly Place[] {
  return (found ?? []).slice(0, maxAnswers).map(placeOf);
}

/** Also handles the older forms: a string, or code with its language. */
function hoverText(content: unknown): string {
  const known = HoverContent.safeParse(content).data ?? '';
  if (typeof known === 'string') return known;
  const { language, value } = known;
  return language === undefined ? value : `\`\`\`${language}\n${value}\n\`\`\``;
}
