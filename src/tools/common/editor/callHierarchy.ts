import * as z from 'zod';
import { countOf } from '../../../base/common/countOf';
import { messageOf } from '../../../base/common/errors';
import { CodeLines } from '../text/codeLines';
import { defineTool } from '../defineTool';
import { LateAnswerError, type Call, type CallDirection, type CallItem } from '../languagePort';
import { lineAround } from '../text/lineTexts';
import { byNearness } from '../search/nearness';
import { pathName } from '../text/pathNames';
import { findPlace, placeInput } from '../placeFinder';
import type { Tool } from '../toolProvider';
import type { ToolPorts } from '../toolPorts';
import { visibleFiles } from '../search/visibleFiles';

const maxNodes = 150;
/** Limit of calls per function. */
const maxCalls = 40;
const totalMs = 20_000;

export function callHierarchyTool(ports: ToolPorts): Tool {
  return defineTool({
    name: 'call_hierarchy',
    title: 'Call hierarchy',
    description:
      'Who calls a function (incoming), or what it calls (outgoing), over several steps, by the language server.',
    input: z.strictObject({
      ...placeInput,
      direction: z.enum(['incoming', 'outgoing']).default('incoming'),
      depth: z.int().min(1).max(4).default(1),
    }),
    async run({ direction, depth, ...asked }, signal) {
      const from = await findPlace(asked, ports, signal);
      const [item] = await ports.language.callable(from, signal);
      if (!item) {
        const why = 'It may be no function, or its language server has no call hierarchy: use references.';
        return [`Nothing calls or is called at ${from.title}.`, ...from.remarks, why].join('\n');
      }
      const walk = new CallWalk(ports, direction, signal);
      // What an excluded file calls is part of its contents.
      if (direction === 'incoming' || (await isVisible(item, ports, signal))) await walk.from(item, depth, '');
      const what = direction === 'incoming' ? 'Callers' : 'Calls';
      const none = walk.rows.length === 0 ? ['  None in files you may see.'] : [];
      return [`${what} of ${from.title}`, ...walk.rows, ...none, ...from.remarks, ...walk.remarks].join('\n');
    },
  });
}

/** Walks the call hierarchy, within limits. */
class CallWalk {
  readonly rows: string[] = [];
  private readonly seen = new Set<string>();
  private readonly endsAt: number;
  private readonly said = new Set<string>();
  private readonly code: CodeLines;

  constructor(
    private readonly ports: ToolPorts,
    private readonly direction: CallDirection,
    private readonly signal: AbortSignal,
  ) {
    this.endsAt = ports.clock.monotonicNow() + totalMs;
    this.code = new CodeLines(ports.editor, signal);
  }

  get remarks(): readonly string[] {
    return [...this.said];
  }

  async from(item: CallItem, depth: number, indent: string): Promise<void> {
    this.seen.add(keyOf(item));
    const calls = await this.callsOf(item);
    for (const call of calls) {
      if (this.rows.length >= maxNodes) {
        this.said.add(`Only the first ${maxNodes} are told: ask for one of them, or with less depth.`);
        return;
      }
      const isKnown = this.seen.has(keyOf(call.item));
      this.rows.push(`${indent}  ${await this.row(item, call)}${isKnown && depth > 1 ? ' (see above)' : ''}`);
      if (depth > 1 && !isKnown) await this.from(call.item, depth - 1, `${indent}  `);
    }
  }

  /** Calls between files that agents may see, nearest first. */
  private async callsOf(item: CallItem): Promise<readonly Call[]> {
    const { clock, editor, language } = this.ports;
    if (clock.monotonicNow() > this.endsAt) {
      this.said.add('It took too long: not every step was looked at.');
      return [];
    }
    const calls = await language.calls(this.direction, item, this.signal).catch((error: unknown): readonly Call[] => {
      this.signal.throwIfAborted();
      const why = error instanceof LateAnswerError ? 'did not answer in time' : `failed (${messageOf(error)})`;
      this.said.add(`The language server ${why} for ${item.name}: there may be more.`);
      return [];
    });
    const byPath = Map.groupBy(calls, ({ item: { path } }) => path);
    const paths = byNearness(
      [...byPath.keys()].filter((path) => path !== undefined),
      item.path,
    );
    const visible = await visibleFiles(paths, editor, this.signal);
    const all = visible.paths.flatMap((path) => byPath.get(path) ?? []);
    if (all.length > maxCalls) this.said.add(`${item.name} has ${all.length}: the nearest ${maxCalls} are told.`);
    return all.slice(0, maxCalls);
  }

  private async row(from: CallItem, { item, ranges }: Call): Promise<string> {
    const { editor } = this.ports;
    const place = `${pathName(item.path ?? '', editor)}:${item.range.start.line + 1} ${item.kind} ${item.name}`;
    const [first] = ranges;
    const caller = this.direction === 'incoming' ? item.path : from.path;
    if (!first || caller === undefined) return place;
    const lines = [...new Set(ranges.map(({ start }) => start.line + 1))];
    const text = lineAround(await this.code.line(caller, first.start.line), first.start.character);
    const more = lines.length > 1 ? ` and ${countOf(lines.length - 1, 'more line')}` : '';
    return `${place} — in line ${first.start.line + 1}${more}: ${text}`;
  }
}

async function isVisible({ path }: CallItem, { editor }: ToolPorts, signal: AbortSignal): Promise<boolean> {
  return path !== undefined && (await visibleFiles([path], editor, signal)).paths.length > 0;
}

function keyOf({ path, range, name }: CallItem): string {
  return `${path ?? ''}\n${range.start.line}:${range.start.character}\n${name}`;
}
