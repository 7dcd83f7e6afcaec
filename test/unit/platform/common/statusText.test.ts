import assert from 'node:assert/strict';
import type { FeatureStatus } from '../../../../src/base/common/feature';
import { createStatusBarContent } from '../../../../src/platform/common/statusText';

const amp: FeatureStatus = { id: 'amp', title: 'Amp', state: 'ready', summary: 'Serving on 8000.' };
const acp: FeatureStatus = { id: 'acp', title: 'Agents', state: 'off', summary: 'No agent runs.' };

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

  it('is off if no feature is running', () =>
    assert.equal(createStatusBarContent([]).text, '$(circle-slash) Backline'));

  it('says every state in words to a screen reader', () => {
    assert.equal(
      createStatusBarContent([amp, acp]).label,
      'Backline; Amp running: Serving on 8000.; Agents off: No agent runs.',
    );
  });
});
