import fc from 'fast-check';
import { forms, GuardedRepository, places, ruleFiles, type Act, type Step } from '../support/guardedRepository';

/**
 * For more cases, other ones each time: `BACKLINE_PROPERTY_RUNS=60 npm run test:unit -- nothingLost`, as often as wanted. The pool of tests
 * ends a file after 15 minutes, in which more than 100 cases run.
 */
const manyRuns = process.env['BACKLINE_PROPERTY_RUNS'];
const parameters = manyRuns === undefined ? { numRuns: 10, seed: 20_261_129 } : { numRuns: Number(manyRuns) };

const place = fc.constantFrom(...places);
const folders = ['d', 'local'];
const one = <const Value>(kind: Value) => ({ kind: fc.constant(kind) });
const act: fc.Arbitrary<Act> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ ...one('write'), place, form: fc.constantFrom(...forms) }) },
  { weight: 6, arbitrary: fc.record({ ...one('edit'), place, line: fc.nat(9) }) },
  {
    weight: 3,
    arbitrary: fc.record({ ...one('remove'), place: fc.constantFrom(...places, ...folders) }),
  },
  { weight: 1, arbitrary: fc.record({ ...one('mode'), place }) },
  { weight: 1, arbitrary: fc.record({ ...one('link'), place }) },
  {
    weight: 2,
    arbitrary: fc.record({
      ...one('rename'),
      place: fc.constantFrom(...places, ...folders),
      to: fc.constantFrom(...places, 'moved'),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      ...one('rules'),
      file: fc.constantFrom(...ruleFiles),
      rules: fc.constantFrom('', 'local/\n', '*.log\n', '*.txt\n', '*\n!a.txt\n', 'd/\n'),
    }),
  },
  { weight: 1, arbitrary: fc.record({ ...one('nest'), folder: fc.constantFrom(...folders) }) },
  { weight: 1, arbitrary: fc.record({ ...one('git'), does: fc.constantFrom('commit' as const, 'anew' as const) }) },
);
const meanwhile = fc.option(act, { nil: undefined });
const anyFile = fc.option(fc.nat(9), { nil: undefined });
const comesBack = fc.boolean();
const turns: fc.Arbitrary<Step> = fc.record({
  ...one('turn'),
  work: fc.constantFrom('command' as const, 'edit' as const, 'editor' as const, 'talk' as const),
  acts: fc.array(fc.record({ by: fc.constantFrom('agent' as const, 'agent' as const, 'user' as const), act }), {
    minLength: 1,
    maxLength: 6,
  }),
});
const users: fc.Arbitrary<Step> = fc.record({ ...one('user'), act });
const undoes: fc.Arbitrary<Step> = fc.oneof(
  { weight: 1, arbitrary: fc.record({ ...one('keep'), file: anyFile }) },
  { weight: 1, arbitrary: fc.record({ ...one('keepHunk'), file: fc.nat(9), hunk: fc.nat(9) }) },
  { weight: 2, arbitrary: fc.record({ ...one('undoHunk'), file: fc.nat(9), hunk: fc.nat(9) }) },
  {
    weight: 4,
    arbitrary: fc.record({
      ...one('undo'),
      file: anyFile,
      isForced: fc.boolean(),
      isOfTurn: fc.boolean(),
      comesBack,
      meanwhile,
      isMeanwhileLate: fc.boolean(),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      ...one('restore'),
      prompt: fc.nat(9),
      picks: fc.constantFrom('default' as const, 'all' as const),
      isFork: fc.boolean(),
      comesBack,
      meanwhile,
    }),
  },
);
const undoRestores: fc.Arbitrary<Step> = fc.record({ ...one('undoRestore'), which: fc.nat(9), comesBack, meanwhile });
/** A turn, what others do, and what the user does with the turn: the order in which all of it matters. */
const round: fc.Arbitrary<readonly Step[]> = fc
  .tuple(
    fc.array(
      one('pass').kind.map((kind) => ({ kind })),
      { maxLength: 1 },
    ),
    turns,
    fc.array(users, { maxLength: 2 }),
    undoes,
    fc.array(users, { maxLength: 2 }),
    fc.array(fc.oneof(undoRestores, undoes), { maxLength: 2 }),
  )
  .map(([passes, first, before, second, after, last]) => [...passes, first, ...before, second, ...after, ...last]);

const byUser = (act: Act): Step => ({ kind: 'user', act });
const turn = (work: 'command' | 'edit' | 'editor' | 'talk', ...acts: readonly Act[]): Step => ({
  kind: 'turn',
  work,
  acts: acts.map((one) => ({ by: 'agent', act: one })),
});
const write = (name: string, form: (typeof forms)[number] = 'lines'): Act => ({ kind: 'write', place: name, form });
const undoAll = {
  kind: 'undo',
  file: undefined,
  isForced: false,
  isOfTurn: false,
  comesBack: false,
  isMeanwhileLate: true,
} as const;
const restore = { kind: 'restore', prompt: 0, picks: 'default', isFork: false, comesBack: true } as const;

const examples: Readonly<Record<string, readonly Step[]>> = {
  'a hunk of a file with mixed line endings': [
    turn('editor', write('a.txt', 'mixed')),
    { kind: 'undoHunk', file: 0, hunk: 0 },
  ],
  'a file with mixed line endings that a rule ignores by now': [
    turn('editor', write('a.txt')),
    byUser({ kind: 'rules', file: '.gitignore', rules: '*.txt\n' }),
    byUser(write('a.txt', 'mixed')),
    { ...undoAll, file: 0, isForced: true, comesBack: true },
  ],
  'a file that was changed after the restore that is undone': [
    turn('editor', write('a.txt')),
    undoAll,
    byUser(write('a.txt', 'mixed')),
    { kind: 'undoRestore', which: 0, comesBack: true },
  ],
  'an ignored file that was made again after the restore that is undone': [
    turn('editor', write('local/n.txt')),
    byUser({ kind: 'rules', file: '.gitignore', rules: 'local/\n' }),
    { ...restore, comesBack: false },
    byUser(write('local/n.txt')),
    { kind: 'undoRestore', which: 0, comesBack: true },
  ],
  'a file that was changed right before it is undone': [
    byUser(write('a.txt')),
    turn('editor', write('a.txt')),
    { ...undoAll, file: 0, isForced: true, comesBack: true, meanwhile: write('a.txt', 'mixed') },
  ],
  'a file without a text that was changed right before it is undone': [
    byUser(write('a.txt', 'binary')),
    turn('command', write('a.txt', 'binary')),
    { ...undoAll, file: 0, isForced: true, comesBack: true, meanwhile: write('a.txt', 'binary') },
  ],
  'a file that only the user’s repository had, which is gone by now': [
    byUser(write('a.txt')),
    turn('editor', write('a.txt', 'crlf')),
    byUser({ kind: 'git', does: 'commit' }),
    undoAll,
    byUser({ kind: 'git', does: 'anew' }),
    { kind: 'undoRestore', which: 0, comesBack: true },
  ],
  'another file when only the user’s repository had a content that is gone by now': [
    byUser(write('b.log')),
    byUser({ kind: 'git', does: 'commit' }),
    byUser(write('a.txt')),
    turn('command', { kind: 'git', does: 'anew' }, write('a.txt')),
    byUser({ kind: 'link', place: 'b.log' }),
    { ...restore, comesBack: true },
  ],
  'a file whose place a folder has taken again': [
    turn('command', { kind: 'rename', place: 'local', to: 'a.txt' }),
    undoAll,
    turn('command', write('a.txt')),
    undoAll,
    { kind: 'undoRestore', which: 0, comesBack: false },
    { kind: 'undoRestore', which: 0, comesBack: false },
  ],
  'a link of the user in the place of a file that the agent had made': [
    turn('editor', write('a.txt')),
    undoAll,
    byUser({ kind: 'link', place: 'a.txt' }),
    restore,
  ],
};

describe('Undo, Restore and Keep', () => {
  for (const [name, steps] of Object.entries(examples)) {
    it(`lose no byte of ${name}`, async () => {
      await play('folder', [], steps);
    });
  }

  it('lose no byte, whatever the user, other programs and the agent do', async function () {
    this.timeout(86_400_000);
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom('none' as const, 'folder' as const, 'folder' as const, 'parent' as const),
        fc.array(act, { minLength: 2, maxLength: 8 }),
        fc.array(round, { minLength: 1, maxLength: 3 }),
        fc.constantFrom('reliable' as const, 'unreliable' as const),
        async (hasGit, first, rounds, births) => {
          await play(hasGit, first, rounds.flat(), births);
        },
      ),
      parameters,
    );
  });
});

async function play(
  hasGit: 'none' | 'folder' | 'parent',
  first: readonly Act[],
  steps: readonly Step[],
  births: 'reliable' | 'unreliable' = 'reliable',
): Promise<void> {
  const repository = await GuardedRepository.open(hasGit, first, births);
  try {
    for (const one of steps) await repository.take(one);
  } finally {
    await repository.dispose();
  }
}
