import * as z from 'zod';
import { countWithNoun } from '../../../base/common/text/countWithNoun';
import { messageOf } from '../../../base/common/errors';
import { CodeLines } from '../text/codeLines';
import { defineTool } from '../defineTool';
import {
  LanguageServerTimeoutError,
  type HierarchyCall,
  type CallDirection,
  type HierarchyItem,
} from '../languagePort';
import { shortenLineAround } from '../text/lineTexts';
import { sortByNearness } from '../search/nearness';
import { displayPath } from '../text/displayPath';
import { findPlace, placeInputSchema } from '../placeFinder';
import type { Tool } from '../toolProvider';
import type { ToolPorts } from '../toolPorts';
import { filterAccessibleFiles } from '../search/accessibleFiles';

const maxNodes = 150;
const maxCallsPerFunction = 40;
const walkTimeoutMs = 20_000;

export function callHierarchyTool(ports: ToolPorts): Tool {
  return defineTool({
    name: 'call_hierarchy',
    title: 'Call hierarchy',
    description:
      'The callers of a function (incoming), or the functions that it calls (outgoing), over several steps, from the language server.',
    input: z.strictObject({
      ...placeInputSchema,
      direction: z.enum(['incoming', 'outgoing']).default('incoming'),
      depth: z.int().min(1).max(4).default(1),
    }),
    async run({ direction, depth, ...asked }, signal) {
      const from = await findPlace(asked, ports, signal);
      const [item] = await ports.language.callItemsAt(from, signal);
      if (!item) {
        const why =
          'It may not be a function, or its language server may not support call hierarchies: use references.';
        return [`There are no calls at ${from.title}.`, ...from.remarks, why].join('\n');
      }
      const walk = new CallHierarchyWalk(ports, direction, signal);
      // The calls in an excluded file are part of its contents, so they are not shown.
      if (direction === 'incoming' || (await isVisible(item, ports, signal))) await walk.walkFrom(item, depth, '');
      const what = direction === 'incoming' ? 'Callers' : 'Calls';
      const none = walk.rows.length === 0 ? ['  None in files you may see.'] : [];
      return [`${what} of ${from.title}`, ...walk.rows, ...none, ...from.remarks, ...walk.remarks].join('\n');
    },
  });
}

class CallHierarchyWalk {
  readonly rows: string[] = [];
  private readonly visitedKeys = new Set<string>();
  private readonly endsAtMs: number;
  private readonly uniqueRemarks = new Set<string>();
  private readonly codeLines: CodeLines;

  constructor(
    private readonly ports: ToolPorts,
    private readonly direction: CallDirection,
    private readonly signal: AbortSignal,
  ) {
    this.endsAtMs = ports.clock.monotonicNow() + walkTimeoutMs;
    this.codeLines = new CodeLines(ports.editor, signal);
  }

  get remarks(): readonly string[] {
    return [...this.uniqueRemarks];
  }

  async walkFrom(item: HierarchyItem, depth: number, indent: string): Promise<void> {
    this.visitedKeys.add(keyOf(item));
    const calls = await this.accessibleCallsOf(item);
    for (const call of calls) {
      if (this.rows.length >= maxNodes) {
        this.uniqueRemarks.add(`Only the first ${maxNodes} are listed: ask for one of them, or with less depth.`);
        return;
      }
      const isKnown = this.visitedKeys.has(keyOf(call.item));
      this.rows.push(`${indent}  ${await this.describeCall(item, call)}${isKnown && depth > 1 ? ' (see above)' : ''}`);
      if (depth > 1 && !isKnown) await this.walkFrom(call.item, depth - 1, `${indent}  `);
    }
  }

  /** Calls between files that agents may see, nearest first. */
  private async accessibleCallsOf(item: HierarchyItem): Promise<readonly HierarchyCall[]> {
    const { clock, editor, language } = this.ports;
    if (clock.monotonicNow() > this.endsAtMs) {
      this.uniqueRemarks.add('It took too long: not every step was searched.');
      return [];
    }
    const calls = await language
      .callsOf(this.direction, item, this.signal)
      .catch((error: unknown): readonly HierarchyCall[] => {
        this.signal.throwIfAborted();
        const why =
          error instanceof LanguageServerTimeoutError ? 'did not answer in time' : `failed (${messageOf(error)})`;
        this.uniqueRemarks.add(`The language server ${why} for ${item.name}: there may be more.`);
        return [];
      });
    const byPath = Map.groupBy(calls, ({ item: { path } }) => path);
    const paths = sortByNearness(
      [...byPath.keys()].filter((path) => path !== undefined),
      item.path,
    );
    const visible = await filterAccessibleFiles(paths, editor, this.signal);
    const all = visible.paths.flatMap((path) => byPath.get(path) ?? []);
    if (all.length > maxCallsPerFunction)
      this.uniqueRemarks.add(`${item.name} has ${all.length}: the nearest ${maxCallsPerFunction} are listed.`);
    return all.slice(0, maxCallsPerFunction);
  }

  private async describeCall(from: HierarchyItem, { item, callRanges }: HierarchyCall): Promise<string> {
    const { editor } = this.ports;
    const place = `${displayPath(item.path ?? '', editor)}:${item.range.start.line + 1} ${item.kind} ${item.name}`;
    const [first] = callRanges;
    const caller = this.direction === 'incoming' ? item.path : from.path;
    if (!first || caller === undefined) return place;
    const lines = [...new Set(callRanges.map(({ start }) => start.line + 1))];
    const text = shortenLineAround(await this.codeLines.lineText(caller, first.start.line), first.start.character);
    const more = lines.length > 1 ? ` and ${countWithNoun(lines.length - 1, 'more line')}` : '';
    return `${place} — in line ${first.start.line + 1}${more}: ${text}`;
  }
}

async function isVisible({ path }: HierarchyItem, { editor }: ToolPorts, signal: AbortSignal): Promise<boolean> {
  return path !== undefined && (await filterAccessibleFiles([path], editor, signal)).paths.length > 0;
}

function keyOf({ path, range, name }: HierarchyItem): string {
  return `${path ?? ''}\n${range.start.line}:${range.start.character}\n${name}`;
}
