import { extname } from 'node:path';
import * as vscode from 'vscode';
import * as z from 'zod';
import type { Clock } from '../../base/common/async';
import {
  maxPlaces,
  type HierarchyCall,
  type CallDirection,
  type HierarchyItem,
  type DefinitionKind,
  type FilePosition,
  type FoundSymbol,
  type LanguagePort,
  type OutlineSymbol,
  type Place,
} from '../common/languagePort';
import { LanguageQueryRunner } from '../common/calls/languageQueryRunner';
import { toOutline, toPlace, toRange, symbolKindName, toPosition } from './languageValues';

/** How long a tool waits; some language servers build their index on the first request. */
const answerTimeoutMs = 12_000;

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

export class LanguageFeatures implements LanguagePort {
  private readonly queryRunner: LanguageQueryRunner;
  /** VS Code identifies a hierarchy item by object identity. */
  private readonly vscodeItemByHierarchyItem = new WeakMap<HierarchyItem, vscode.CallHierarchyItem>();

  constructor(clock: Clock) {
    this.queryRunner = new LanguageQueryRunner(clock, answerTimeoutMs);
  }

  async definitions(kind: DefinitionKind, at: FilePosition, signal: AbortSignal): Promise<readonly Place[]> {
    return toPlaces(await this.queryAt<Places>(definitionCommands[kind], at, signal));
  }

  async references(at: FilePosition, signal: AbortSignal): Promise<readonly Place[]> {
    return toPlaces(await this.queryAt<Places>('vscode.executeReferenceProvider', at, signal));
  }

  async implementations(at: FilePosition, signal: AbortSignal): Promise<readonly Place[]> {
    return toPlaces(await this.queryAt<Places>('vscode.executeImplementationProvider', at, signal));
  }

  async hovers(at: FilePosition, signal: AbortSignal): Promise<readonly string[]> {
    const hovers = await this.queryAt<readonly vscode.Hover[] | undefined>('vscode.executeHoverProvider', at, signal);
    return (hovers ?? []).flatMap(({ contents }) => contents).map(hoverText);
  }

  async outline(path: string, signal: AbortSignal): Promise<readonly OutlineSymbol[]> {
    const ask = async (): Promise<Symbols> => {
      const { uri } = await openDocument(path);
      return await vscode.commands.executeCommand<Symbols>('vscode.executeDocumentSymbolProvider', uri);
    };
    const found = await this.queryRunner.runQuery({ key: `outline ${path}`, group: queryGroupOf(path), ask }, signal);
    return toOutline((found ?? []).slice(0, maxPlaces));
  }

  async workspaceSymbols(query: string, signal: AbortSignal): Promise<readonly FoundSymbol[]> {
    const ask = async (): Promise<readonly vscode.SymbolInformation[] | undefined> =>
      await vscode.commands.executeCommand('vscode.executeWorkspaceSymbolProvider', query);
    const found = await this.queryRunner.runQuery({ key: `symbols ${query}`, group: 'workspace symbols', ask }, signal);
    return (found ?? []).slice(0, maxPlaces).map(({ name, kind, containerName, location }) => ({
      name,
      kind: symbolKindName(kind),
      container: containerName,
      ...toPlace(location),
    }));
  }

  async callItemsAt(at: FilePosition, signal: AbortSignal): Promise<readonly HierarchyItem[]> {
    const found = await this.queryAt<readonly vscode.CallHierarchyItem[] | undefined>(
      'vscode.prepareCallHierarchy',
      at,
      signal,
    );
    return (found ?? []).map((item) => this.toCallItem(item));
  }

  async callsOf(direction: CallDirection, item: HierarchyItem, signal: AbortSignal): Promise<readonly HierarchyCall[]> {
    const known = this.vscodeItemByHierarchyItem.get(item);
    if (!known) return [];
    const { line, character } = item.range.start;
    const key = `${direction} ${line}:${character} ${item.name} ${item.path ?? ''}`;
    const ask = async (): Promise<Calls> => await vscode.commands.executeCommand<Calls>(callCommands[direction], known);
    const found = await this.queryRunner.runQuery({ key, group: queryGroupOf(item.path ?? ''), ask }, signal);
    return (found ?? []).slice(0, maxPlaces).map((call) => ({
      item: this.toCallItem('from' in call ? call.from : call.to),
      callRanges: call.fromRanges.map(toRange),
    }));
  }

  private toCallItem(item: vscode.CallHierarchyItem): HierarchyItem {
    const place = toPlace({ uri: item.uri, range: item.selectionRange });
    const kept = { name: item.name, kind: symbolKindName(item.kind), ...place };
    this.vscodeItemByHierarchyItem.set(kept, item);
    return kept;
  }

  private async queryAt<T>(command: string, { path, position }: FilePosition, signal: AbortSignal): Promise<T> {
    const { line, character } = position;
    const ask = async (): Promise<T> => {
      const { uri } = await openDocument(path);
      return await vscode.commands.executeCommand<T>(command, uri, toPosition(position));
    };
    const key = `${command} ${line}:${character} ${path}`;
    return await this.queryRunner.runQuery({ key, group: queryGroupOf(path), ask }, signal);
  }
}

/** Files with the same extension usually share a language server. */
function queryGroupOf(path: string): string {
  return extname(path).toLowerCase();
}

/** An opened document stays open in language servers for minutes, so that they need not load it again. */
async function openDocument(path: string): Promise<vscode.TextDocument> {
  return await vscode.workspace.openTextDocument(vscode.Uri.file(path));
}

function toPlaces(found: Places): readonly Place[] {
  return (found ?? []).slice(0, maxPlaces).map(toPlace);
}

/** Also handles the older forms: a string, or code with its language. */
function hoverText(content: unknown): string {
  const known = HoverContent.safeParse(content).data ?? '';
  if (typeof known === 'string') return known;
  const { language, value } = known;
  return language === undefined ? value : `\`\`\`${language}\n${value}\n\`\`\``;
}
