/** Members of a tool's input that lift a restriction which the agent works under otherwise, for example its sandbox. */

/** Names, without case, `_` and `-`, of which any value but a refusal lifts a restriction. */
const liftingNames =
  /^dangerous|unsandboxed|(disable|skip|bypass|without|no|outside|escape|ignore)sandbox|sandboxpermissions|additionalpermissions|escalat|elevat|privileged|^sudo|runas|asroot|asadmin|bypass|skippermission|ignorepermission|skipapproval|noapproval|autoapprove|yolo|fullaccess|unrestricted|unsafe|^(allow|enable|grant|use)?network(access|permission)?$|^trustall|disable(safety|security|guard|protection|restriction)/;
/** Names of switches that lift it when they are off. */
const restrictingNames = /sandbox(ed|mode|policy|type|enabled)?$|^(safe|restricted|readonly)(mode)?$/;
/** Values that say so under any name. */
const liftingValues =
  /^(requireescalated|withescalatedpermissions|dangerfullaccess|bypasspermissions|yolo|unsandboxed)$/;
/** Of a member that lifts: the restriction stays. */
const refusals = new Set(['', 'false', 'no', 'none', 'off', 'never', 'default', 'usedefault', '0', 'restricted']);
/** Of a switch: the restriction goes. */
const offs = new Set(['', 'false', 'no', 'none', 'off', 'never', 'disabled', 'disable', '0', 'dangerfullaccess']);

const maxDepth = 8;

/** The members that lift a restriction, by name, with their values; those inside others as `options.sandbox`. */
export function escalationsIn(input: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(found(input, '', 0));
}

function found(value: unknown, path: string, depth: number): [string, unknown][] {
  if (typeof value !== 'object' || value === null || depth > maxDepth) return [];
  return Object.entries(value).flatMap(([name, member]: [string, unknown]): [string, unknown][] => {
    const key = path === '' ? name : `${path}.${name}`;
    return isEscalation(name, member) ? [[key, member]] : found(member, key, depth + 1);
  });
}

function isEscalation(name: string, value: unknown): boolean {
  if (value === undefined) return false;
  const key = folded(name);
  const isEmpty = value === null || (typeof value === 'object' && Object.keys(value).length === 0);
  const isScalar = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
  const text = isScalar ? folded(String(value)) : undefined;
  if (text !== undefined && typeof value === 'string' && liftingValues.test(text)) return true;
  // A switch before a name that lifts: `sandbox` is part of `disableSandbox`.
  if (liftingNames.test(key)) return !isEmpty && (text === undefined || !refusals.has(text));
  return restrictingNames.test(key) && (value === null || (text !== undefined && offs.has(text)));
}

function folded(text: string): string {
  return text.toLowerCase().replaceAll(/[\s_-]/g, '');
}
