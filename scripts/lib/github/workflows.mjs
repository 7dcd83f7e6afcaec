// What this project asks of its workflows, beside what actionlint finds.
import { parse } from 'yaml';
import * as z from 'zod';

const step = z.looseObject({
  uses: z.string().optional(),
  run: z.string().optional(),
  with: z.record(z.string(), z.unknown()).optional(),
});
const job = z.looseObject({
  uses: z.string().optional(),
  steps: z.array(step).optional(),
  'timeout-minutes': z.number().optional(),
});
const workflow = z.looseObject({
  permissions: z.union([z.string(), z.record(z.string(), z.string())]).optional(),
  concurrency: z.unknown().optional(),
  jobs: z.record(z.string(), job),
});

/** An action of somebody else: a tag can be moved, a commit cannot; the comment says which version it is. */
const pinned = /^\s*-?\s*uses: [\w.-]+\/[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/;

/**
 * @param {string} text of a workflow file
 * @param {readonly string[]} npmScripts those of package.json
 * @returns {string[]} what is wrong
 */
export function workflowProblems(text, npmScripts) {
  const read = workflow.safeParse(parse(text));
  if (!read.success) return [z.prettifyError(read.error)];
  const { permissions, concurrency, jobs } = read.data;
  const problems = [];
  if (permissions === undefined) problems.push('it has no permissions: every token could write');
  if (typeof permissions === 'string' || Object.values(permissions ?? {}).includes('write')) {
    problems.push('it gives all jobs more than they need: give each job its own permissions');
  }
  if (concurrency === undefined) problems.push('it has no concurrency: runs of one branch pile up');
  for (const line of text.split('\n')) {
    if (/^\s*-?\s*uses: (?!\.\/)/.test(line) && !pinned.test(line)) {
      problems.push(`"${line.trim()}" is not pinned: write owner/name@<commit> # v1.2.3`);
    }
  }
  for (const [name, { steps = [], uses, 'timeout-minutes': timeout }] of Object.entries(jobs)) {
    if (uses === undefined && timeout === undefined) problems.push(`job ${name} has no timeout-minutes`);
    for (const each of steps)
      problems.push(...stepProblems(each, npmScripts).map((problem) => `job ${name}: ${problem}`));
  }
  return problems;
}

/**
 * @param {z.infer<typeof step>} step
 * @param {readonly string[]} npmScripts
 */
function stepProblems({ uses = '', run = '', with: inputs = {} }, npmScripts) {
  const problems = [];
  if (uses.startsWith('actions/checkout@') && inputs['persist-credentials'] !== false) {
    problems.push('checkout leaves its token behind: set persist-credentials to false');
  }
  for (const [, script = ''] of run.matchAll(/\bnpm run ([\w:-]+)/g)) {
    if (!npmScripts.includes(script)) problems.push(`there is no npm script ${script}`);
  }
  return problems;
}

/**
 * @param {readonly string[]} texts of all workflows
 * @returns {string[]} actions that are taken in several versions
 */
export function versionsThatDiffer(texts) {
  /** @type {Map<string, Set<string>>} */
  const versions = new Map();
  for (const [, action = '', version = ''] of texts.join('\n').matchAll(/uses: ([\w./-]+)@(\S+)/g)) {
    versions.set(action, (versions.get(action) ?? new Set()).add(version));
  }
  return [...versions].filter(([, { size }]) => size > 1).map(([action]) => `${action} is taken in several versions`);
}
