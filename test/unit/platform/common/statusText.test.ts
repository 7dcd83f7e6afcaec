import assert from 'node:assert/strict';
import type { FeatureStatus } from '../../../../src/base/common/feature';
import { createStatusBarContent, inMenuOrder } from '../../../../src/platform/common/statusText';

const amp: FeatureStatus = { id: 'amp', title: 'Amp', state: 'ready', summary: 'Serving on 8000.' };
const acp: FeatureStatus = { id: 'acp', title: 'Agents', state: 'off', summary: 'No agent runs.' };

describe('inMenuOrder', () => {
  it('begins with the chat, then what needs the user, then by use, with Amp last', () => {
    const status = (id: string, state: FeatureStatus['state'] = 'ready'): FeatureStatus => ({ ...amp, id, state });
    const reported = [status('amp'), status('context', 'failed'), status('tools'), status('acp'), status('chat')];
    assert.deepEqual(
      inMenuOrder(reported).map(({ id }) => id),
      ['chat', 'context', 'acp', 'tools', 'amp'],
    );
  });
});

describe('createStatusBarContent', () => {
  it('is an icon and a word while all is well', () => {
    const { text, severity } = createStatusBarContent([amp, acp]);
    assert.equal(text, '$(broadcast) Backline');
    assert.equal(severity, 'none');
  });

  it('shows the state that most wants attention', () => {
    const failed = createStatusBarContent([amp, { ...acp, state: 'failed', summary: 'It broke.' }]);
    assert.match(failed.text, /^\$\(error\)/);
    assert.equal(failed.severity, 'error');
    assert.equal(createStatusBarContent([amp, { ...acp, state: 'attention' }]).severity, 'warning');
  });

  it('keeps what a summary says apart from the Markdown around it', () => {
    const { tooltip } = createStatusBarContent([{ ...acp, state: 'failed', summary: 'no **file** $(x)' }]);
    assert.deepEqual(tooltip, [{ icon: '$(error)', title: 'Agents', summary: 'no **file** $(x)' }]);
  });

  describe('while something is going on', () => {
    const lines = ['“Fix it” needs your input'];
    const chat: FeatureStatus = {
      ...amp,
      id: 'chat',
      highlight: { icon: 'bell-dot', text: '1 needs your input', isUrgent: true, lines, command: 'show' },
    };
    const failed: FeatureStatus = { ...acp, state: 'failed' };

    it('shows what the user must do before all else, and leads to it', () => {
      const { command, highlights, label, severity, text } = createStatusBarContent([failed, chat]);
      assert.deepEqual([text, severity, command], ['$(bell-dot) Backline: 1 needs your input', 'warning', 'show']);
      assert.deepEqual(highlights, lines);
      assert.match(label, /^Backline: 1 needs your input; “Fix it” needs your input; Agents failed/);
    });

    it('shows a problem before what can wait', () => {
      const calm = { ...chat, highlight: { icon: 'pass', text: '1 done', isUrgent: false, lines, command: 'show' } };
      const { command, severity, text } = createStatusBarContent([failed, calm]);
      assert.deepEqual([text, severity, command], ['$(error) Backline', 'error', undefined]);
      assert.equal(createStatusBarContent([amp, calm]).text, '$(pass) Backline: 1 done');
    });
  });

  it('is off if no feature is running', () =>
    assert.equal(createStatusBarContent([]).text, '$(circle-slash) Backline'));

  it('says every state in words to a screen reader', () => {
    assert.equal(
      createStatusBarContent([amp, acp]).label,
      'Backline; Amp running: Serving on 8000.; Agents off: No agent runs.',
    );
  });
});
