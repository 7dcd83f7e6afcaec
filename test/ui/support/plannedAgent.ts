import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import * as path from 'node:path';
import * as z from 'zod';
import { inRoot } from '../../../scripts/lib/paths.mjs';
import type { Sandbox } from '../../../scripts/lib/vscode/sandbox.mjs';
import { eventually } from '../../support/eventually';
import { writeUserSettings } from './userSettings';

/** What the agent does in a turn, one after the other. A request may be made several `times` at once. */
export type Step =
  | { readonly request: { readonly method: string; readonly params: object }; readonly times?: number }
  | { readonly update: object }
  /** Not through Backline; the path is absolute. */
  | { readonly write: { readonly path: string; readonly text: string } }
  /** A shell script that the agent runs by itself, in an absolute folder. */
  | { readonly command: { readonly script: string; readonly folder: string } };

/** An answer to a request, in the order in which they came; of a terminal how its command ended, and of the prompt how the turn did. */
const Answer = z.object({ method: z.string(), result: z.looseObject({}).optional(), error: z.string().optional() });
const Selected = z.object({ outcome: z.object({ outcome: z.string(), optionId: z.string().optional() }) });

export type OptionKind = 'allow_once' | 'allow_always' | 'reject_once' | 'reject_always';
export type Option = readonly [id: string, name: string, kind: OptionKind];

export const plainOptions: readonly Option[] = [
  ['yes', 'Allow', 'allow_once'],
  ['no', 'Deny', 'reject_once'],
];

/** What the agent tells of a script, as real agents do: a call that names the files below `src` that it changes. */
function withReport(step: Step): readonly Step[] {
  if (!('command' in step)) return [step];
  const { folder, script } = step.command;
  const names = [...script.matchAll(/'(src\/[^']+)'|(?<![\w/])(src\/[\w.-]+)/g)].map(
    ([, quoted, plain]) => quoted ?? plain ?? '',
  );
  if (names.length === 0) return [step];
  const locations = [...new Set(names)].map((name) => ({ path: path.join(folder, name) }));
  const call = { toolCallId: `script-${names.join(' ')}`, title: 'Edit files', kind: 'edit', locations };
  return [
    { update: { sessionUpdate: 'tool_call', ...call, status: 'in_progress' } },
    step,
    { update: { sessionUpdate: 'tool_call_update', toolCallId: call.toolCallId, status: 'completed' } },
  ];
}

/** A question about a call of that tool, which comes with it. */
export function asks(toolCall: object, options: readonly Option[] = plainOptions): Step & { request: object } {
  const offered = options.map(([optionId, name, kind]) => ({ optionId, name, kind }));
  return { request: { method: 'session/request_permission', params: { toolCall, options: offered } } };
}

/** A question about a command, which is all of the input but for what is given besides. */
export const asksToRun = (command: string, input: object = {}, options?: readonly Option[]): Step =>
  asks({ title: 'Run', kind: 'execute', rawInput: { command, ...input } }, options);

export function runs(command: string, args: readonly string[], env: Readonly<Record<string, string>> = {}): Step {
  const variables = Object.entries(env).map(([name, value]) => ({ name, value }));
  return { request: { method: 'terminal/create', params: { command, args, env: variables } } };
}

/** The agent of test/fixtures/agents/planned.mjs, which follows a plan at each prompt. */
export class PlannedAgent {
  readonly title = 'Planned agent';

  constructor(private readonly sandbox: Sandbox) {}

  private get folder(): string {
    return path.join(this.sandbox.home, 'plans');
  }

  /** Into the settings of the user. */
  async install(): Promise<void> {
    await mkdir(this.folder, { recursive: true });
    const args = [inRoot('test', 'fixtures', 'agents', 'planned.mjs'), this.folder];
    const agents = { [this.title]: { command: 'node', args } };
    await writeUserSettings(this.sandbox, { 'backline.acp.agents': agents, 'backline.chat.backend': this.title });
  }

  /** What the agent does at the prompt of that name. It has no answers yet, also when another file had a plan of that name. */
  async plan(name: string, steps: readonly Step[]): Promise<void> {
    await rm(path.join(this.folder, `${name}.jsonl`), { force: true });
    await writeFile(path.join(this.folder, `${name}.json`), JSON.stringify(steps.flatMap(withReport)));
  }

  /** What came of the steps so far, in short: what a question was answered with, how a command ended, or the error. */
  async answers(name: string): Promise<string[]> {
    const lines = await readFile(path.join(this.folder, `${name}.jsonl`), 'utf8').catch(() => '');
    return lines
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => {
        const { error, method, result } = Answer.parse(JSON.parse(line));
        if (error !== undefined) return error;
        const { data } = Selected.safeParse(result);
        return data ? (data.outcome.optionId ?? data.outcome.outcome) : `${method} ${JSON.stringify(result)}`;
      });
  }

  /** The same of the whole turn, which has to end. */
  async allAnswers(name: string): Promise<string[]> {
    return await eventually(`the end of the turn ${name}`, async () => {
      const answers = await this.answers(name);
      if (answers.at(-1)?.startsWith('session/prompt') !== true) throw new Error(answers.join('\n'));
      return answers.slice(0, -1);
    });
  }
}
