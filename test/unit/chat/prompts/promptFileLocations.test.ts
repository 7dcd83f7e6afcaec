import assert from 'node:assert/strict';
import fc from 'fast-check';
import { promptFoldersOf } from '../../../../src/chat/common/prompts/promptFileLocations';

describe('The folders with prompt files', () => {
  it('are the default, and those of the settings', () => {
    assert.deepEqual(promptFoldersOf({ ofUser: undefined, ofWorkspace: undefined }), {
      workspace: ['.github/prompts'],
      user: [],
    });
    assert.deepEqual(
      promptFoldersOf({
        ofUser: { '~/prompts/': true, '/srv/prompts': true, './docs/prompts/': true, '.': true, off: false },
        ofWorkspace: { '.github/prompts': false, tools: true },
      }),
      { workspace: ['docs/prompts', '', 'tools'], user: ['~/prompts', '/srv/prompts'] },
    );
  });

  it('outside of the workspace are only those of the user, which a workspace can turn off', () => {
    const ofWorkspace = { '~/secrets': true, '/etc': true, 'C:\\x': true, '~/mine': false, '../other': true };
    assert.deepEqual(promptFoldersOf({ ofUser: { '~/mine': true }, ofWorkspace }), {
      workspace: ['.github/prompts'],
      user: [],
    });
  });

  it('are no patterns and nothing outside, whatever is written there', () => {
    const part = fc.constantFrom('..', '.', '~', 'a', '**', '/', '\\', 'C:', '{a,b}', '!', ' ');
    const name = fc.array(part, { maxLength: 6 }).map((parts) => parts.join(''));
    const value = fc.oneof(fc.anything(), fc.dictionary(name, fc.oneof(fc.boolean(), fc.anything())));
    fc.assert(
      fc.property(value, (ofWorkspace) => {
        const { user, workspace } = promptFoldersOf({ ofUser: undefined, ofWorkspace });
        assert.deepEqual(user, []);
        for (const folder of workspace) assert.doesNotMatch(folder, /^[/~]|[*{}!\\:]|(?:^|\/)\.\.(?:\/|$)/);
      }),
    );
  });
});
