import { isRecord } from '../../../base/common/isRecord';

type Path = readonly (string | number)[];

/**
 * One step from a JSON value to a later one. `text`: the string at `at` loses `drop` UTF-16 units at its start, then this
 * is added to its end. `items` are added to the list at `at`. `value` replaces what is at `at`.
 */
export type Growth =
  | { readonly at: Path; readonly drop?: number | undefined; readonly text: string }
  | { readonly at: Path; readonly items: readonly unknown[] }
  | { readonly at: Path; readonly value: unknown };

/** Minimum length of a text for which a moved window is searched, in UTF-16 units. */
const minWindowUnits = 512;
const probeUnits = 64;
/** Maximum number of places at which the start of a window is tried, since output often repeats itself. */
const maxTries = 16;

/** Returns the steps that lead from `before` to `after`. Both are JSON values. */
export function growthBetween(before: unknown, after: unknown, at: Path = []): Growth[] {
  if (before === after) return [];
  if (typeof before === 'string' && typeof after === 'string') return growthOfText(before, after, at);
  if (Array.isArray(before) && Array.isArray(after) && before.length <= after.length) {
    const known: readonly unknown[] = before;
    const steps = known.flatMap((item, index) => growthBetween(item, after[index], [...at, index]));
    return before.length === after.length ? steps : [...steps, { at, items: after.slice(before.length) }];
  }
  if (isRecord(before) && isRecord(after) && Object.keys(before).every((name) => memberOf(after, name) !== undefined)) {
    return Object.entries(after).flatMap(([name, value]) =>
      value === undefined ? [] : growthBetween(memberOf(before, name), value, [...at, name]),
    );
  }
  return [{ at, value: after }];
}

/** Applies the steps. Returns undefined if they do not fit the value. */
export function applyGrowth(before: unknown, steps: readonly Growth[]): unknown {
  let value = before;
  for (const step of steps) {
    value = applyStep(value, step, 0);
    if (value === undefined) return undefined;
  }
  return value;
}

function growthOfText(before: string, after: string, at: Path): Growth[] {
  if (after.startsWith(before)) return [{ at, text: after.slice(before.length) }];
  const drop = dropOf(before, after);
  if (drop === undefined) return [{ at, value: after }];
  return [{ at, drop, text: after.slice(before.length - drop) }];
}

/** Returns how much of the start is missing in `after`, which is a window that moves over a growing text. */
function dropOf(before: string, after: string): number | undefined {
  if (before.length < minWindowUnits || after.length < minWindowUnits) return undefined;
  const probe = after.slice(0, probeUnits);
  let drop = before.indexOf(probe, 1);
  for (let tries = 0; drop !== -1 && tries < maxTries; tries++) {
    if (after.startsWith(before.slice(drop))) return drop;
    drop = before.indexOf(probe, drop + 1);
  }
  return undefined;
}

function applyStep(value: unknown, step: Growth, depth: number): unknown {
  const name = step.at[depth];
  if (name !== undefined) return withMember(value, name, (member) => applyStep(member, step, depth + 1));
  if ('value' in step) return step.value;
  if ('items' in step) return Array.isArray(value) ? [...(value as readonly unknown[]), ...step.items] : undefined;
  return typeof value === 'string' ? value.slice(step.drop ?? 0) + step.text : undefined;
}

function withMember(value: unknown, name: string | number, change: (member: unknown) => unknown): unknown {
  if (Array.isArray(value)) {
    if (typeof name !== 'number' || name < 0 || name >= value.length) return undefined;
    const items: readonly unknown[] = value;
    const changed = change(items[name]);
    return changed === undefined ? undefined : items.with(name, changed);
  }
  if (!isRecord(value)) return undefined;
  const changed = change(memberOf(value, name));
  return changed === undefined ? undefined : { ...value, [name]: changed };
}

/** Returns a member of the object itself. Agents can send members with the names of inherited ones, such as `valueOf`. */
function memberOf(value: Readonly<Record<string, unknown>>, name: string | number): unknown {
  return Object.hasOwn(value, name) ? value[name] : undefined;
}
