import * as z from 'zod/mini';
import type { SessionLimits } from '../../../session/common/sessionBackend';
import type { OptionValue } from '../../../session/common/optionChoices';
import { maxInstructionUnits } from './standingInstructions';

/** How a conversation begins: an entry of `backline.chat.presets`. */
export interface Preset {
  readonly name: string;
  /** Whether the workspace defines it. Then it must not let an agent act without asking. */
  readonly isOfWorkspace: boolean;
  /** Id or title of the agent. Undefined for the chosen one. */
  readonly agent: string | undefined;
  /** By option id, or by `mode` or `model`. */
  readonly values: Readonly<Record<string, OptionValue>>;
  readonly instructions: string | undefined;
  /** What the agent may do less than `backline.permissions` allows. */
  readonly limits: SessionLimits | undefined;
}

interface PresetList {
  /** The user's first. Of two with the same name, that of the user counts. */
  readonly presets: readonly Preset[];
  /** What is wrong with the setting, as clauses. What is not valid is left out. */
  readonly problems: readonly string[];
}

const Table = z.record(z.string(), z.unknown());
const Value = z.union([z.string(), z.boolean()]);
const texts = ['agent', 'model', 'mode', 'instructions'] as const;
const maxPresets = 50;
const limitedKinds = ['read', 'edit', 'run', 'fetch'] as const satisfies readonly (keyof SessionLimits)[];
const everythingAsked = { read: 'ask', edit: 'ask', run: 'ask', fetch: 'ask' };

/** Reads the values of the setting. Never throws. */
export function parsePresets(user: unknown, workspace: unknown): PresetList {
  const problems: string[] = [];
  const ofUser = parseLevel(user, false, problems);
  const names = new Set(ofUser.map(({ name }) => name));
  const ofWorkspace = parseLevel(workspace, true, problems).filter(({ name }) => !names.has(name));
  return { presets: [...ofUser, ...ofWorkspace].slice(0, maxPresets), problems };
}

function parseLevel(value: unknown, isOfWorkspace: boolean, problems: string[]): Preset[] {
  if (value === undefined || value === null) return [];
  const table = Table.safeParse(value).data;
  if (!table) {
    problems.push('the value is not an object');
    return [];
  }
  return Object.entries(table).flatMap(([name, entry]) => parsePreset(name.trim(), entry, isOfWorkspace, problems));
}

function parsePreset(name: string, value: unknown, isOfWorkspace: boolean, problems: string[]): Preset[] {
  const entry = Table.safeParse(value).data;
  if (!entry || name === '') {
    problems.push(name === '' ? 'a preset has no name' : `"${name}" is not an object`);
    return [];
  }
  for (const member of Object.keys(entry)) {
    const isKnown = member === 'options' || member === 'permissions' || texts.some((known) => known === member);
    if (!isKnown) problems.push(`"${name}" has an unknown property "${member}"`);
  }
  const textOf = (member: (typeof texts)[number]): string | undefined => {
    const text = entry[member];
    if (text === undefined) return undefined;
    if (typeof text === 'string') return text.trim() === '' ? undefined : text.trim();
    problems.push(`"${member}" of "${name}" is not a text`);
    return undefined;
  };
  const [agent, model, mode, instructions] = texts.map(textOf);
  if ((instructions?.length ?? 0) > maxInstructionUnits) {
    problems.push(`"instructions" of "${name}" is longer than ${maxInstructionUnits} characters and is cut`);
  }
  const values = {
    ...optionsOf(name, entry['options'], problems),
    ...(model === undefined ? {} : { model }),
    ...(mode === undefined ? {} : { mode }),
  };
  const limits = limitsOf(name, entry['permissions'], problems);
  return [{ name, isOfWorkspace, agent, values, instructions, limits }];
}

function optionsOf(name: string, value: unknown, problems: string[]): Record<string, OptionValue> {
  if (value === undefined) return {};
  const table = Table.safeParse(value).data;
  if (!table) problems.push(`"options" of "${name}" is not an object`);
  return Object.fromEntries(
    Object.entries(table ?? {}).flatMap(([id, entry]): [string, OptionValue][] => {
      const read = Value.safeParse(entry);
      if (!read.success) problems.push(`the option "${id}" of "${name}" is neither a text nor true or false`);
      return read.success ? [[id, read.data]] : [];
    }),
  );
}

/** A value that is not valid counts as `ask`. */
function limitsOf(name: string, value: unknown, problems: string[]): SessionLimits | undefined {
  if (value === undefined) return undefined;
  const table = Table.safeParse(value).data;
  if (!table) problems.push(`"permissions" of "${name}" is not an object, so every action needs your approval`);
  const limits = Object.fromEntries(
    Object.entries(table ?? everythingAsked).flatMap(([kind, answer]): [keyof SessionLimits, 'ask' | 'deny'][] => {
      const known = limitedKinds.find((one) => one === kind);
      if (!known) problems.push(`"permissions" of "${name}" has an unknown property "${kind}"`);
      else if (answer !== 'ask' && answer !== 'deny') {
        problems.push(`"${kind}" in "permissions" of "${name}" is neither ask nor deny, so it is treated as ask`);
      }
      return known ? [[known, answer === 'deny' ? 'deny' : 'ask']] : [];
    }),
  );
  return Object.keys(limits).length === 0 ? undefined : limits;
}

/** Returns a copy of the user's value with a preset added or replaced. Keeps everything else, also what is not valid. */
export function withPreset(userValue: unknown, preset: Omit<Preset, 'isOfWorkspace'>): Record<string, unknown> {
  const { agent, instructions, limits, name, values } = preset;
  const { mode, model, ...options } = values;
  const entry = Object.fromEntries(
    Object.entries({
      agent,
      model,
      mode,
      options: Object.keys(options).length === 0 ? undefined : options,
      permissions: limits,
      instructions,
    }).filter(([, value]) => value !== undefined),
  );
  return { ...Table.safeParse(userValue).data, [name]: entry };
}
