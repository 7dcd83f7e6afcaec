import {
  AgentIcon,
  CopyIcon,
  ExportIcon,
  FolderIcon,
  LinkIcon,
  TerminalIcon,
  type Icon,
} from '../../webview/browser/icons';
import type { MenuItem } from '../../webview/browser/menu';
import { threadRequests, type ThreadAction, type ThreadHeaderView } from '../common/page/threadApi';
import type { ThreadPage } from './threadPage';

const menuItems: Record<ThreadAction, { readonly label: string; readonly icon: Icon }> = {
  continueInAmp: { label: 'Continue in Amp CLI', icon: TerminalIcon },
  continueInChat: { label: 'Continue with Another Agent', icon: AgentIcon },
  exportMarkdown: { label: 'Export as Markdown', icon: ExportIcon },
  exportHtml: { label: 'Export as HTML', icon: ExportIcon },
  exportJson: { label: 'Export as JSON', icon: ExportIcon },
  copyLink: { label: 'Copy Link', icon: LinkIcon },
  copyPath: { label: 'Copy Path', icon: CopyIcon },
  copyId: { label: 'Copy ID', icon: CopyIcon },
  reveal: { label: 'Reveal File', icon: FolderIcon },
};

export function actionMenu(page: ThreadPage, { actions }: ThreadHeaderView): MenuItem[] {
  const run = (action: ThreadAction): void => void page.ask(threadRequests.act, { action });
  return actions.map((action) => ({ ...menuItems[action], run: () => run(action) }));
}
