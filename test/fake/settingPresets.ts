// Presets with settings that a test sets.
import { Presets } from '../../src/chat/common/prompts/presets';
import type { InstructionLevels } from '../../src/chat/common/prompts/standingInstructions';

export class SettingPresets extends Presets {
  constructor(
    readonly values: { user?: unknown; workspace?: unknown } = {},
    readonly instructions: { -readonly [Level in keyof InstructionLevels]: string } = { ofUser: '', ofWorkspace: '' },
  ) {
    super({
      readPresets: () => ({ user: values.user, workspace: values.workspace }),
      readInstructions: () => instructions,
      onError: (error) => {
        throw error;
      },
    });
  }
}
