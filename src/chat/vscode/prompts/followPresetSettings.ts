import * as vscode from 'vscode';
import { DisposableStore, type Disposable } from '../../../base/common/disposable';
import { settingIds } from '../../../manifest';
import type { NoticeBoard } from '../../../platform/common/noticeBoard';
import type { Settings } from '../../../platform/vscode/settings';
import type { Presets } from '../../common/prompts/presets';

/** Reports changes of the settings to the presets, and new problems in `backline.chat.presets` to the user. */
export function followPresetSettings(
  presets: Presets,
  settings: Pick<Settings, 'onDidChangeOf'>,
  notices: Pick<NoticeBoard, 'show'>,
): Disposable {
  let shown = '';
  const check = (): void => {
    presets.noteChange();
    const problems = presets.problems.join('; ');
    if (problems === shown) return;
    shown = problems;
    if (problems === '') return;
    notices.show({
      level: 'warning',
      text: `${settingIds.chatPresets}: ${problems}.`,
      actions: [],
      isCurrent: () => presets.problems.join('; ') === problems,
    });
  };
  check();
  const store = new DisposableStore();
  store.add(settings.onDidChangeOf([settingIds.chatInstructions, settingIds.chatPresets], check));
  store.add(vscode.workspace.onDidGrantWorkspaceTrust(check));
  return store;
}
