/** Texts for the agent from the settings of the user and of the workspace. Empty if there is none. */
export interface InstructionLevels {
  readonly ofUser: string;
  readonly ofWorkspace: string;
}

/** Maximum length of each text, in UTF-16 units. */
export const maxInstructionUnits = 16_384;

/** Joins what the agent is told in each turn: the user's text, the workspace's, which is named so, and that of a preset. */
export function joinInstructions({ ofUser, ofWorkspace }: InstructionLevels, ofPreset = ''): string {
  const workspace = shorten(ofWorkspace);
  return [shorten(ofUser), workspace === '' ? '' : `Instructions of this workspace:\n${workspace}`, shorten(ofPreset)]
    .filter((text) => text !== '')
    .join('\n\n');
}

function shorten(text: string): string {
  return text.trim().slice(0, maxInstructionUnits).toWellFormed();
}
