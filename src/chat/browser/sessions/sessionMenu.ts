import { ExportIcon, FolderIcon, OpenInTabIcon, TrashIcon } from '../../../webview/browser/icons';
import type { MenuItem } from '../../../webview/browser/menu';
import { chatRequests } from '../../common/page/chatApi';
import type { ConversationRow } from '../../common/chatView';
import type { ChatPage } from '../page/chatPage';

export function sessionMenuItems(page: ChatPage, { elsewhere, id: sessionId }: ConversationRow): MenuItem[] {
  const exported = (format: 'markdown' | 'html' | 'json') => () =>
    void page.request(chatRequests.exportSession, { sessionId, format });
  return [
    {
      label: 'Open in Editor Tab',
      icon: OpenInTabIcon,
      run: () => void page.request(chatRequests.openInTab, { sessionId }),
    },
    ...(elsewhere?.folder === undefined
      ? []
      : [
          {
            label: 'Locate Folder…',
            icon: FolderIcon,
            run: () => void page.request(chatRequests.locateFolder, { sessionId }),
          },
        ]),
    { label: 'Export as Markdown', icon: ExportIcon, run: exported('markdown') },
    { label: 'Export as HTML', icon: ExportIcon, run: exported('html') },
    { label: 'Export as JSON', icon: ExportIcon, run: exported('json') },
    { label: 'Delete', icon: TrashIcon, run: () => void page.request(chatRequests.deleteSession, { sessionId }) },
  ];
}
