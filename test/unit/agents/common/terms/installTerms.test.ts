import assert from 'node:assert/strict';
import { installQuestion } from '../../../../../src/agents/common/terms/installQuestion';
import { InstallConsents } from '../../../../../src/agents/common/terms/installConsents';
import type { InstallPlan } from '../../../../../src/agents/common/install/agentInstall';
import {
  downloadSourceOf,
  termChanges,
  termsOfDownload,
  type InstallTerms,
} from '../../../../../src/agents/common/terms/installTerms';
import type { BinaryTarget } from '../../../../../src/agents/common/registry/registryAgent';
import { formatBytes } from '../../../../../src/agents/common/formatBytes';
import { MemoryMemento } from '../../../../fake/memoryMemento';

const plan: InstallPlan = {
  id: 'one',
  name: 'One',
  version: '1.2.3',
  kind: 'npx',
  address: 'https://registry.npmjs.org/@x/one',
  bytes: 12_345_678,
  terms: {
    ...{ kind: 'npx', source: '@x/one', host: 'https://registry.npmjs.org', command: '', args: ['--acp'], env: {} },
    license: 'MIT',
  },
  commandLine: 'node one.js --acp',
  needsNode: '>=20',
};

describe('the question before an installation', () => {
  it('says everything that the user agrees to', () => {
    const { detail, message } = installQuestion(
      plan,
      { authors: ['Ada', 'Bob'], repository: 'https://example.com/one' },
      undefined,
    );
    assert.equal(message, 'Install One?');
    for (const part of [
      'npm package: @x/one (One 1.2.3)',
      'From: Ada, Bob',
      'Website: https://example.com/one',
      'Address: https://registry.npmjs.org/@x/one',
      'Size: 12 MB, and its dependencies',
      'License: MIT',
      'Needs: Node.js >=20',
      'Runs: node one.js --acp',
      'your user rights',
    ]) {
      assert.ok(detail.includes(part), `${part} in ${detail}`);
    }
  });

  it('shows first what has changed since it was allowed', () => {
    const env = { NODE_OPTIONS: '--import=data:\u202ex', A: 'b' };
    const changes = termChanges(plan.terms, { ...plan.terms, source: '@eve/one', args: [], env });
    const { action, detail, message } = installQuestion(plan, { authors: [] }, changes);
    assert.equal(message, 'Update One? It is no longer what you allowed.');
    assert.equal(action, 'Update');
    assert.ok(!detail.includes('\u202e'));
    const [title, ...lines] = detail.split('\n');
    assert.equal(title, 'Changed since you allowed it:');
    assert.deepEqual(lines.slice(0, 2), ['Source: @x/one → @eve/one', 'Arguments: --acp → none']);
    assert.match(lines[2] ?? '', /^Environment: none → A=b NODE_OPTIONS="--import=data:/);
    assert.match(lines[4] ?? '', /^Keys and permissions of the earlier program are not passed on/);
  });

  it('reports who and which license is not known, leaves out an unknown size, and shows hidden characters', () => {
    const { id, version, kind, address, commandLine, terms } = plan;
    const rest = { id, version, kind, address, commandLine, terms: { ...terms, license: undefined } };
    const { detail, message } = installQuestion({ ...rest, name: 'a\u202eb\nc' }, { authors: [] }, undefined);
    assert.match(detail, /From: unknown author\n/);
    assert.doesNotMatch(detail, /Size/);
    assert.match(detail, /License: not stated\n/);
    assert.ok(!message.includes('\u202e') && !message.includes('\n'));
  });
});

describe('what the user has agreed to install', () => {
  const terms = (more: Partial<InstallTerms>): InstallPlan => ({ ...plan, terms: { ...plan.terms, ...more } });
  const others: readonly Partial<InstallTerms>[] = [
    { kind: 'uvx' },
    { source: '@x/other' },
    { host: 'https://elsewhere.example' },
    { command: 'other' },
    { args: [] },
    { args: ['--acp', '--acp'] },
    { env: { NODE_OPTIONS: '--import=data:text/javascript,0' } },
    { license: 'proprietary' },
    { license: undefined },
  ];

  it('covers updates with the same terms, until the agent is removed', async () => {
    const consents = new InstallConsents(new MemoryMemento());
    assert.equal(consents.changesOf(plan, undefined), undefined);
    await consents.remember(plan);
    const update = { ...plan, version: '2.0.0', address: 'https://registry.npmjs.org/@x/one/2' };
    assert.deepEqual(consents.changesOf(update, undefined), []);
    for (const other of others) {
      const changes = consents.changesOf(terms(other), undefined);
      assert.equal(changes?.length, 1, JSON.stringify(other));
    }
    assert.equal(consents.changesOf({ ...plan, id: 'two' }, undefined), undefined);
    await consents.forget('one');
    assert.equal(consents.changesOf(plan, undefined), undefined);
  });

  it('keeps what an older version of Backline has recorded, for exactly what is installed', () => {
    const memento = new MemoryMemento();
    const host = 'https://registry.npmjs.org';
    memento.values.set('agents.agreed', { one: { kind: 'npx', host, license: 'MIT' } });
    const consents = new InstallConsents(memento);
    const { args, command, env, kind, source } = plan.terms;
    const recorded = { args, command, env, kind, source };
    assert.deepEqual(consents.changesOf(plan, { terms: recorded }), []);
    for (const other of others) assert.equal(consents.changesOf(terms(other), { terms: recorded })?.length, 1);
    assert.equal(consents.changesOf(plan, undefined), undefined);
    const download: InstallPlan = terms({ kind: 'binary', source: 'https://github.com/x/one', command: 'one' });
    memento.values.set('agents.agreed', { one: { kind: 'binary', host, license: 'MIT' } });
    const changes = consents.changesOf(download, { terms: { kind: 'binary', args: ['--acp'], env: {} } });
    assert.deepEqual(
      changes?.map(({ label }) => label),
      ['Source', 'Command'],
    );
  });

  it('is nothing where the memory holds something else', () => {
    const memento = new MemoryMemento();
    memento.values.set('agents.agreed', 7);
    assert.equal(new InstallConsents(memento).changesOf(plan, undefined), undefined);
  });
});

describe('the terms of a download', () => {
  const source = (address: string): string => downloadSourceOf(address, '1.2.3');

  it('are the owner and repository, or the folders that do not name a version', () => {
    const release = 'https://github.com/Ada/one/releases/download/v1.2.3/one-linux.tar.gz';
    assert.equal(source(release), 'https://github.com/ada/one');
    const group = 'https://gitlab.com/a/b/one/-/releases/v1.2.3/downloads/one.zip';
    assert.equal(source(group), 'https://gitlab.com/a/b/one');
    assert.equal(source('https://files.example/lab/1.2.3-abc/linux/one.tar.gz'), 'https://files.example/lab');
    assert.equal(source('https://files.example/bucket/one.tar.gz'), 'https://files.example/bucket');
    assert.equal(source('https://files.example/get?of=one&at=1.2.3'), 'https://files.example?of=one&at=*');
  });

  it('differ for another owner, repository, bucket or server', () => {
    const addresses = [
      'https://github.com/ada/one/releases/download/v1.2.3/one.zip',
      'https://github.com/eve/one/releases/download/v1.2.3/one.zip',
      'https://github.com/ada/two/releases/download/v1.2.3/one.zip',
      'https://github.com/ada/one/../../eve/three/one.zip',
      'https://github.com//ada/one/one.zip',
      'https://files.example/a/1.2.3/one.zip',
      'https://files.example/b/1.2.3/one.zip',
      'https://files.example:8443/a/1.2.3/one.zip',
      'http://files.example/a/1.2.3/one.zip',
      'https://files.example/a/get?file=one',
      'https://files.example/a/get?file=two',
    ];
    assert.equal(new Set(addresses.map(source)).size, addresses.length);
  });

  it('are the same for the next version of an unchanged program', () => {
    const target = (version: string): BinaryTarget => ({
      archive: `https://files.example/lab/${version}/one-${version}.tar.gz`,
      ...{ cmd: `./one-${version}/one`, args: ['acp'], env: {} },
    });
    assert.deepEqual(termsOfDownload(target('1.2.3'), '1.2.3'), termsOfDownload(target('1.10.0'), '1.10.0'));
    assert.notDeepEqual(
      termsOfDownload(target('1.2.3'), '1.2.3'),
      termsOfDownload({ ...target('1.2.3'), cmd: './one-1.2.3/two' }, '1.2.3'),
    );
  });
});

describe('a size for people', () => {
  it('has a unit', () => {
    assert.deepEqual([0, 999, 1000, 12_345_678, 9_900_000_000].map(formatBytes), [
      '0 bytes',
      '999 bytes',
      '1.0 kB',
      '12 MB',
      '9.9 GB',
    ]);
  });
});
