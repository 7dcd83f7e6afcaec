// Members of a tool's input that lift a restriction of the agent, such as its sandbox. Names and values are compared
// without case, white space, `_` and `-`.

/** Names that lift a restriction, whatever their value is, except for a refusal. */
const liftingNames =
  /^dangerous|unsandboxed|(disable|skip|bypass|without|no|outside|escape|ignore)sandbox|sandboxpermissions|additionalpermissions|escalat|elevat|privileged|^sudo|runas|asroot|asadmin|bypass|skippermission|ignorepermission|skipapproval|noapproval|autoapprove|yolo|fullaccess|unrestricted|unsafe|^(allow|enable|grant|use)?network(access|permission)?$|^trustall|disable(safety|security|guard|protection|restriction)/;
/** Names of restrictions. Turning such a member off lifts the restriction. */
const restrictingNames = /sandbox(ed|mode|policy|type|enabled)?$|^(safe|restricted|readonly)(mode)?$/;
/** Values that lift a restriction, whatever the name of their member is. */
const liftingValues =
  /^(requireescalated|withescalatedpermissions|dangerfullaccess|bypasspermissions|yolo|unsandboxed)$/;
/** Values of a lifting member that keep the restriction. */
const refusalValues = new Set(['', 'false', 'no', 'none', 'off', 'never', 'default', 'usedefault', '0', 'restricted']);
/** Values that turn a restriction off. */
const offValues = new Set(['', 'false', 'no', 'none', 'off', 'never', 'disabled', 'disable', '0', 'dangerfullaccess']);

const maxDepth = 8;

/** Returns the members that lift a restriction. Nested members get names such as `options.sandbox`. */
export function findEscalations(input: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(collectEscalations(input, '', 0));
}

function collectEscalations(value: unknown, path: string, depth: number): [string, unknown][] {
  if (typeof value !== 'object' || value === null || depth > maxDepth) return [];
  return Object.entries(value).flatMap(([name, member]: [string, unknown]): [string, unknown][] => {
    const key = path === '' ? name : `${path}.${name}`;
    return isEscalation(name, member) ? [[key, member]] : collectEscalations(member, key, depth + 1);
  });
}

function isEscalation(name: string, value: unknown): boolean {
  if (value === undefined) return false;
  const key = normalize(name);
  const isEmpty = value === null || (typeof value === 'object' && Object.keys(value).length === 0);
  const isScalar = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
  const text = isScalar ? normalize(String(value)) : undefined;
  if (text !== undefined && typeof value === 'string' && liftingValues.test(text)) return true;
  // This check comes first, because `disableSandbox` also ends with `sandbox`.
  if (liftingNames.test(key)) return !isEmpty && (text === undefined || !refusalValues.has(text));
  return restrictingNames.test(key) && (value === null || (text !== undefined && offValues.has(text)));
}

function normalize(text: string): string {
  return text.toLowerCase().replaceAll(/[\s_-]/g, '');
}
