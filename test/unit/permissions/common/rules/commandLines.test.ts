import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { promisify } from 'node:util';
import fc from 'fast-check';
import { toToolRequest } from '../../../../../src/acp/common/approvals/toolRequests';
import type { ToolRequest } from '../../../../../src/permissions/common/requests/toolRequest';
import {
  createNarrowestRule,
  PermissionRule,
  ruleMatches,
} from '../../../../../src/permissions/common/rules/permissionRules';
import { describeRule } from '../../../../../src/permissions/common/rules/ruleWords';
import { RuleGlobs } from '../../../../../src/permissions/common/rules/ruleGlobs';
import { only } from '../../../../support/only';

/** How an agent asks to run something, and how it can then run that: one of `runs`. */
interface Asked {
  readonly input: Readonly<Record<string, unknown>>;
  readonly runs: readonly Run[];
}

interface Run {
  /** Either a line of a shell, or a program and its arguments. */
  readonly what: string | readonly string[];
  readonly folder: 'one' | 'two';
  readonly variable: string;
}

const globs = new RuleGlobs();
/** No word is a program or a builtin, so that the shell only reports what it would have run. */
const words = ['a', 'b', 'x1', '-f', '.', '*', '$V', '~', '"', "'", '\\', '#', '{', '}', ',', '(', ')', '!', '?', '='];
const separators = [
  ...[' ', ' ', ' ', '  ', '\t', '\n', ';', ' ; ', '&&', ' && ', '||', '|'],
  ...['$(a)', '`b`', '>', ' > o', ' >> o', '<', ' <<< '],
];

interface Form {
  readonly command: string | readonly string[];
  readonly args?: readonly string[];
  readonly runs: readonly Run['what'][];
}

const asLine = (command: string): Form => ({ command, runs: [command] });
const asProgram = (argv: readonly string[]): Form => ({ command: argv, runs: [argv] });
/** Some agents start a program, and others give everything to a shell if the command is a line. */
const withArguments = (command: string, args: readonly string[]): Form => {
  if (args.length === 0) return { ...asLine(command), args };
  const argv = [command, ...args];
  return { command, args, runs: /^\w+$/.test(command) ? [argv] : [argv, argv.join(' ')] };
};

const joined = (parts: readonly string[]): string => parts.join('');
const line = fc
  .array(fc.constantFrom(...words, ...separators), { minLength: 0, maxLength: 7 })
  .map((parts) => joined(['a', ...parts]));
const argument = fc.array(fc.constantFrom(...words, ' ', ' ; ', '\n', '$(a)'), { maxLength: 3 }).map(joined);
const program = fc.oneof(
  fc.constantFrom('a', 'b'),
  argument.filter((text) => text !== ''),
);
const args = fc.array(argument, { maxLength: 2 });
const form = fc.oneof(
  line.map(asLine),
  fc.tuple(program, args).map(([first, rest]) => asProgram([first, ...rest])),
  fc.tuple(fc.oneof(program, line), args).map(([first, rest]) => withArguments(first, rest)),
);

const folder = fc.constantFrom('one' as const, 'one' as const, 'two' as const);
const variable = fc.constantFrom('', '', '1');

function askedOf({ runs, ...command }: Form, cwd: Run['folder'], value: string): Asked {
  const env = value === '' ? {} : { env: { V: value } };
  return {
    input: { ...command, cwd, ...env },
    runs: runs.map((what) => ({ what, folder: cwd, variable: value })),
  };
}

/** The same with another end or separator, or cut into other arguments. */
function nearMissOf(from: Form): fc.Arbitrary<Form> {
  const text = [from.command, from.args ?? []].flat().join(' ');
  const [first = '', ...rest] = text.split(' ');
  return fc.oneof(
    fc.constantFrom(...separators, ...words).map((more) => asLine(`${text}${more}b`)),
    fc.constantFrom(' ', '\n', ';', '\t', '#', '\\').map((more) => asLine(`${text}${more}`)),
    fc.constantFrom(...separators).map((more) => asLine(text.replace(' ', more))),
    fc.constantFrom(
      asLine(text),
      asLine(text.replaceAll('"', "'")),
      asProgram([text]),
      asProgram([text, 'b']),
      asProgram([first, ...rest]),
      withArguments(text, []),
      withArguments(text, ['b']),
      withArguments(first, rest),
    ),
    form,
  );
}

const pairs = form.chain((first) =>
  fc
    .tuple(fc.constant(first), fc.oneof(fc.constant(first), nearMissOf(first)), folder, folder, variable, variable)
    .map(([one, two, oneFolder, twoFolder, oneValue, twoValue]): [Asked, Asked] => [
      askedOf(one, oneFolder, oneValue),
      askedOf(two, twoFolder, twoValue),
    ]),
);

async function requestOf({ input }: Asked): Promise<ToolRequest> {
  const call = { name: undefined, title: undefined, kind: 'execute' as const, content: [], locations: [] };
  return await toToolRequest(
    { ...call, rawInput: input },
    {
      agent: 'demo',
      cwd: '/ws',
      resolve: (one) => Promise.resolve(path.resolve('/ws', one)),
      protectionOf: () => Promise.resolve(undefined),
    },
  );
}

const keyOf = (run: Run): string => JSON.stringify([run.what, run.folder, run.variable]);
const runsOf = ({ runs }: Asked): string => JSON.stringify(runs.map(keyOf));

/** What bash runs, with arguments, folder and variable, and what is in the folder then, by `keyOf`. */
async function tracesOf(runs: readonly Run[], root: string): Promise<ReadonlyMap<string, string>> {
  const wanted = [...new Map(runs.map((run) => [keyOf(run), run])).values()];
  const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
  const steps = await Promise.all(
    wanted.map(async ({ what, folder: name, variable: value }, index) => {
      const place = path.join(root, String(index), name);
      await mkdir(place, { recursive: true });
      for (const file of ['o', 'b', 'ob']) await writeFile(path.join(place, file), 'text');
      const run = typeof what === 'string' ? `eval ${quote(what)}` : `say ${what.map(quote).join(' ')}`;
      return `cd ${quote(place)}; (V=${quote(value)}; ${run}\n) </dev/null >/dev/null 2>&1
        for f in *; do say file "$f" "$(<"$f")" >/dev/null; done; printf '\\0' >&3`;
    }),
  );
  const script = path.join(root, 'script');
  await writeFile(
    script,
    `exec 3>&1; PATH=/none; HOME=a; V=
    say() { printf -v said '<%s>' "$@" "$V" "\${PWD##*/}"; printf '%s\\1' "$said" >&3; printf x; }
    command_not_found_handle() { say "$@"; }
    ${steps.join('\n')}`,
  );
  const { stdout } = await promisify(execFile)('bash', [script], { maxBuffer: 64 * 1024 * 1024 });
  // The parts of a pipeline run at the same time.
  const traces = stdout.split('\0').map((trace) => trace.split('\u0001').sort().join('\n'));
  assert.equal(traces.length, wanted.length + 1);
  return new Map(wanted.map((run, index) => [keyOf(run), traces[index] ?? '']));
}

only('with bash', process.platform !== 'win32').describe('the rule made by an answer about a command', () => {
  let root: string;
  before(async () => void (root = await mkdtemp(path.join(tmpdir(), 'backline-lines-'))));
  after(() => rm(root, { recursive: true, force: true, maxRetries: 5 }));

  it('never allows what a shell runs in another way, and is described in other words', async () => {
    const cases = await Promise.all(
      fc.sample(pairs, { numRuns: 4_000, seed: 7 }).map(async ([first, later]) => {
        const [shown, request] = await Promise.all([requestOf(first), requestOf(later)]);
        const made = createNarrowestRule(shown, 'allow', 'always');
        const other = createNarrowestRule(request, 'allow', 'always');
        assert.ok(made && other);
        const rule = PermissionRule.parse(JSON.parse(JSON.stringify(made)));
        const isAllowed = ruleMatches(rule, request, globs);
        // Where only the agent knows how it runs that, the words cannot say it.
        const isKnown = first.runs.length === 1 && later.runs.length === 1;
        const isSameText = isKnown && describeRule(rule) === describeRule(other);
        const isSame = runsOf(first) === runsOf(later);
        if (isSame) assert.ok(isAllowed, JSON.stringify(first.input));
        return { first, later, isAllowed, isSameText, isSame };
      }),
    );
    const alike = cases.filter(({ isAllowed, isSame, isSameText }) => (isAllowed || isSameText) && !isSame);
    const refused = cases.filter(({ isAllowed }) => !isAllowed).slice(0, 300);
    const compared = [...alike, ...refused].flatMap(({ first, later }) => [...first.runs, ...later.runs]);
    const traces = await tracesOf(compared, root);
    const differs = ({ first, later }: (typeof cases)[number]): boolean => {
      const known = new Set(first.runs.map((run) => traces.get(keyOf(run))));
      return later.runs.some((run) => !known.has(traces.get(keyOf(run))));
    };
    const wrong = alike.filter((one) => differs(one));
    assert.deepEqual(
      wrong.map(({ first, later, isAllowed }) => [first.input, later.input, isAllowed]),
      [],
    );
    assert.ok(cases.filter(({ isSame }) => isSame).length > 300);
    assert.ok(refused.filter((one) => differs(one)).length > 150, 'otherwise this tests nothing');
  });
});
