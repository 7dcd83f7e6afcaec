import assert from 'node:assert/strict';
import { installQuestion } from '../../../../../src/agents/common/install/installQuestion';
import { InstallConsents } from '../../../../../src/agents/common/install/installConsents';
import type { InstallPlan } from '../../../../../src/agents/common/install/agentInstall';
import { formatBytes } from '../../../../../src/agents/common/formatBytes';
import { MemoryMemento } from '../../../../fake/memoryMemento';

const plan: InstallPlan = {
  id: 'one',
  name: 'One',
  version: '1.2.3',
  kind: 'npx',
  address: 'https://registry.npmjs.org/@x/one',
  bytes: 12_345_678,
  license: 'MIT',
  commandLine: 'node one.js --acp',
  needsNode: '>=20',
};

describe('the question before an installation', () => {
  it('says everything that the user agrees to', () => {
    const { detail, message } = installQuestion(plan, {
      authors: ['Ada', 'Bob'],
      repository: 'https://example.com/one',
    });
    assert.equal(message, 'Install One?');
    for (const part of [
      'npm package: One 1.2.3',
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

  it('reports what is not known, and shows hidden characters', () => {
    const { id, version, kind, address, commandLine } = plan;
    const rest = { id, version, kind, address, commandLine };
    const { detail, message } = installQuestion({ ...rest, name: 'a\u202eb\nc' }, { authors: [] });
    assert.match(detail, /From: unknown author\n/);
    assert.match(detail, /Size: not known\n/);
    assert.match(detail, /License: not stated\n/);
    assert.ok(!message.includes('\u202e') && !message.includes('\n'));
  });
});

describe('what the user has agreed to install', () => {
  it('covers updates from the same place under the same license, until the agent is removed', async () => {
    const consents = new InstallConsents(new MemoryMemento());
    assert.equal(consents.covers(plan), false);
    await consents.remember(plan);
    assert.equal(consents.covers({ ...plan, version: '2.0.0', address: 'https://registry.npmjs.org/@x/one/2' }), true);
    assert.equal(consents.covers({ ...plan, address: 'https://elsewhere.example/one' }), false);
    assert.equal(consents.covers({ ...plan, license: 'proprietary' }), false);
    assert.equal(consents.covers({ ...plan, kind: 'binary' }), false);
    assert.equal(consents.covers({ ...plan, id: 'two' }), false);
    await consents.forget('one');
    assert.equal(consents.covers(plan), false);
  });

  it('is nothing where the memory holds something else', () => {
    const memento = new MemoryMemento();
    memento.values.set('agents.agreed', 7);
    assert.equal(new InstallConsents(memento).covers(plan), false);
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
