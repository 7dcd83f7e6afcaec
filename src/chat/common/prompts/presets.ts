import type { Disposable } from '../../../base/common/disposable';
import { withoutUndefined } from '../../../base/common/withoutUndefined';
import { Emitter } from '../../../base/common/event';
import type { PresetOfConversation } from '../chatView';
import type { StandingView } from '../chatView';
import { parsePresets, type Preset } from './presetSetting';
import { joinInstructions, type InstructionLevels } from './standingInstructions';

interface PresetsPorts {
  /** The values of `backline.chat.presets`, without those of a workspace that is not trusted. */
  readonly readPresets: () => { readonly user: unknown; readonly workspace: unknown };
  /** The values of `backline.chat.instructions`, without that of a workspace that is not trusted. */
  readonly readInstructions: () => InstructionLevels;
  readonly onError: (error: unknown) => void;
}

/** The presets of the settings, which of them the next conversation begins with, and what agents are told in each turn. */
export class Presets implements Disposable {
  private readonly emitter = new Emitter<void>((error) => this.ports.onError(error));
  readonly onDidChange = this.emitter.event;
  private chosen: { readonly preset: PresetOfConversation; readonly backendId: string } | undefined;

  constructor(private readonly ports: PresetsPorts) {}

  get all(): readonly Preset[] {
    return this.read().presets;
  }

  /** What is wrong with the setting, as clauses. */
  get problems(): readonly string[] {
    return this.read().problems;
  }

  /** Call when one of the settings has changed. */
  noteChange(): void {
    this.emitter.fire();
  }

  /** Begins the next conversation with the backend with the preset, and those with others without one. */
  choose({ instructions, limits, name }: Preset, backendId: string): void {
    this.chosen = { preset: { name, ...withoutUndefined({ instructions, limits }) }, backendId };
    this.emitter.fire();
  }

  /** Call when a conversation has begun, or when the user does not want the preset any more. */
  clearChoice(): void {
    if (!this.chosen) return;
    this.chosen = undefined;
    this.emitter.fire();
  }

  presetFor(backendId: string | undefined): PresetOfConversation | undefined {
    return this.chosen?.backendId === backendId ? this.chosen?.preset : undefined;
  }

  /** Returns what the agent of a conversation is told in each turn. Empty if nothing. */
  instructionsFor(preset: PresetOfConversation | undefined): string {
    return joinInstructions(this.ports.readInstructions(), preset?.instructions);
  }

  /** Returns what the page shows of a conversation with the preset. */
  viewFor(preset: PresetOfConversation | undefined): StandingView {
    const instructions = this.instructionsFor(preset);
    return {
      presets: this.all.map(({ agent, instructions: text, isOfWorkspace, limits = {}, name, values }) => ({
        name,
        detail: [
          agent,
          ...Object.values(values).map(String),
          ...Object.entries(limits).map(([kind, answer]) => `${kind}: ${answer}`),
          text,
        ]
          .filter((part) => part !== undefined)
          .join(' · '),
        isOfWorkspace,
      })),
      ...(instructions === '' ? {} : { instructions }),
      ...(preset ? { preset: preset.name } : {}),
    };
  }

  dispose(): void {
    this.emitter.dispose();
  }

  private read(): ReturnType<typeof parsePresets> {
    const { user, workspace } = this.ports.readPresets();
    return parsePresets(user, workspace);
  }
}
