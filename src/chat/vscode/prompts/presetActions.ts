import * as vscode from 'vscode';
import * as z from 'zod/mini';
import { isModeOption, type OptionValue } from '../../../session/common/optionChoices';
import { isRecord } from '../../../base/common/isRecord';
import { withoutUndefined } from '../../../base/common/withoutUndefined';
import { settingIds } from '../../../manifest';
import type { Messages } from '../../../platform/vscode/messages';
import type { Settings } from '../../../platform/vscode/settings';
import type { Chat } from '../../common/chatPorts';
import type { OptionView } from '../../common/chatView';
import type { BackendChoice } from '../../common/page/backendChoice';
import type { NewSessionOptions } from '../../common/page/newSessionOptions';
import { beginWithPreset } from '../../common/prompts/beginWithPreset';
import type { Presets } from '../../common/prompts/presets';
import { withPreset } from '../../common/prompts/presetSetting';

interface PresetActionsDeps {
  readonly presets: Presets;
  readonly backends: BackendChoice;
  readonly newOptions: NewSessionOptions;
  readonly settings: Pick<Settings, 'chatPresets' | 'setChatPresets'>;
  readonly messages: Pick<Messages, 'info' | 'warning'>;
}

/** What the user does with presets: begin with one, save one, edit the settings. */
export class PresetActions {
  constructor(private readonly deps: PresetActionsDeps) {}

  /** Chooses a preset for the next conversation; without a name, none. @throws Error with a message for the user */
  async choose(name: string | undefined): Promise<void> {
    const { backends, messages, newOptions, presets } = this.deps;
    if (name === undefined) {
      presets.clearChoice();
      if (backends.chosenBackend) newOptions.of(backends.chosenBackend.id).chooseOnce?.({});
    } else await beginWithPreset(name, { ...this.deps, notify: (text) => messages.warning(text) });
  }

  /** Chooses the preset that a keyboard shortcut names, or the one that the user picks. Resolves to whether there is one. */
  async chooseOrPick(argument: unknown): Promise<boolean> {
    const named = z.safeParse(z.object({ preset: z.string() }), argument).data?.preset;
    const name = named ?? (await this.pick());
    if (name !== undefined) await this.choose(name);
    return name !== undefined;
  }

  /** Saves the agent, the options and the instructions of a conversation, or of the next one. */
  async save(chat: Chat | undefined): Promise<void> {
    const { backends, messages, newOptions, presets, settings } = this.deps;
    const agent = chat?.view.backendId ?? backends.chosenBackend?.id;
    if (agent === undefined) {
      messages.info('Choose an agent first.');
      return;
    }
    const options = chat ? chat.view.options : newOptions.of(agent).options;
    const { instructions, limits } = (chat ? chat.view.preset : presets.presetFor(agent)) ?? {};
    const { user } = settings.chatPresets();
    const replaces = {
      message: 'You have a preset of this name. Enter replaces it, with its instructions.',
      severity: vscode.InputBoxValidationSeverity.Warning,
    };
    const name = await vscode.window.showInputBox({
      title: 'Save Current Choices as Preset',
      prompt: 'The agent, its model, mode and other options. Add instructions in the settings.',
      placeHolder: 'Name of the preset',
      validateInput: (value) => {
        const trimmed = value.trim();
        if (trimmed === '') return 'Enter a name.';
        return isRecord(user) && Object.hasOwn(user, trimmed) ? replaces : undefined;
      },
    });
    if (name === undefined) return;
    const preset = {
      name: name.trim(),
      agent,
      values: valuesOf(options),
      instructions,
      limits: limits && withoutUndefined(limits),
    };
    await settings.setChatPresets(withPreset(user, preset));
    messages.info(`The preset “${preset.name}” was saved in your settings.`, {
      label: 'Edit',
      run: () => this.edit('presets'),
    });
  }

  async edit(what: 'instructions' | 'presets'): Promise<void> {
    if (what === 'instructions') {
      await vscode.commands.executeCommand('workbench.action.openSettings', `@id:${settingIds.chatInstructions}`);
      return;
    }
    const revealSetting = { key: settingIds.chatPresets, edit: true };
    await vscode.commands.executeCommand('workbench.action.openSettingsJson', { revealSetting });
  }

  private async pick(): Promise<string | undefined> {
    const { presets } = this.deps.presets.viewFor(undefined);
    const editItem = { label: '$(gear) Edit Presets…', name: undefined };
    const items = presets.map(({ detail, isOfWorkspace, name }) => ({
      label: name,
      description: isOfWorkspace ? 'of this workspace' : '',
      detail,
      name,
    }));
    const picked = await vscode.window.showQuickPick([...items, editItem], {
      title: 'Start Conversation with Preset',
      placeHolder: items.length === 0 ? 'There are no presets yet' : 'Select a preset',
      matchOnDetail: true,
    });
    if (picked === editItem) await this.edit('presets');
    return picked?.name;
  }
}

function valuesOf(options: readonly OptionView[]): Record<string, OptionValue> {
  return Object.fromEntries(
    options.map((option) => {
      const name = isModeOption(option) ? 'mode' : option.category === 'model' ? 'model' : option.id;
      return [name, option.value];
    }),
  );
}
