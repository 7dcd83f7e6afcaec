import { parse } from 'yaml';
import * as z from 'zod';

const named = z.looseObject({ 'dependency-name': z.string() });
const update = z.looseObject({
  'package-ecosystem': z.string(),
  directory: z.string(),
  groups: z.record(z.string(), z.looseObject({ patterns: z.array(z.string()) })),
  ignore: z.array(named).default([]),
});
const dependabot = z.strictObject({ version: z.literal(2), updates: z.array(update).min(1) });

/**
 * A name in it that is no dependency does nothing, without a word.
 * @param {string} text of dependabot.yml
 * @param {ReadonlyMap<string, readonly string[]>} dependencies by the folder of their package.json, e.g. `/`
 * @returns {string[]} what is wrong
 */
export function dependabotProblems(text, dependencies) {
  const read = dependabot.safeParse(parse(text));
  if (!read.success) return [z.prettifyError(read.error)];
  const updates = read.data.updates.filter((each) => each['package-ecosystem'] === 'npm');
  const problems = updates.flatMap(({ directory, groups, ignore }) => {
    const known = dependencies.get(directory);
    if (!known) return [`${directory} has no package.json`];
    const names = [
      ...Object.values(groups).flatMap(({ patterns }) => patterns),
      ...ignore.map((each) => each['dependency-name']),
    ];
    return names
      .filter((name) => !name.includes('*') && !known.includes(name))
      .map((name) => `${name} is no dependency of ${directory}`);
  });
  for (const directory of dependencies.keys()) {
    if (!updates.some((each) => each.directory === directory)) problems.push(`nothing updates ${directory}`);
  }
  return problems;
}
