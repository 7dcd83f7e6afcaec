import assert from 'node:assert/strict';
import { statusBarProgressText } from '../../../../../src/amplifier/common/server/statusBarProgressText';

describe('the progress in the status bar', () => {
  for (const [name, sessions, expected] of [
    ['nothing for no session', [], undefined],
    ['the message and the percentage', [{ message: 'Analyzing code...', percent: 44.6 }], 'Analyzing code... 45%'],
    ['the message alone when nobody knows how far it is', [{ message: 'x', percent: undefined }], 'x'],
    [
      'the newest of several',
      [
        { message: 'new', percent: 0 },
        { message: 'old', percent: 9 },
      ],
      'new 0% (+1)',
    ],
    ['one line without icons of the agent’s', [{ message: ' a\n$(error) b ', percent: undefined }], 'a $ (error) b'],
    ['no more than fits', [{ message: 'x'.repeat(100), percent: undefined }], `${'x'.repeat(59)}…`],
  ] as const) {
    it(`shows ${name}`, () => {
      assert.equal(statusBarProgressText(sessions), expected === undefined ? undefined : `$(sync~spin) ${expected}`);
    });
  }
});
