import { withoutUndefined } from '../../../../base/common/withoutUndefined';
import type { RowVerb } from '../../../common/list/rowVerbs';
import { conversationsRequests } from '../../../common/page/conversationsApi';
import type { ConversationsPage } from '../conversationsPage';
import {
  ArchiveIcon,
  BranchIcon,
  ArrowRightIcon,
  DiffFilesIcon,
  EditIcon,
  ExportIcon,
  FolderIcon,
  NewWindowIcon,
  OpenInTabIcon,
  PinIcon,
  RestoreIcon,
  SendIcon,
  StopIcon,
  TrashIcon,
  type Icon,
} from '../../../../webview/browser/icons';
import { modifiedKeyLabel } from '../../../../webview/browser/platformKeys';

export interface VerbWords {
  readonly label: string;
  readonly icon: Icon;
  /** What the label does not say. */
  readonly hint?: string;
  /** The key that does it. */
  readonly shortcut?: string;
}

/** The verbs that need nothing more: an export needs a format, and a new title is typed first. */
export type PlainVerb = Exclude<RowVerb, 'export' | 'rename'>;

export const exportFormats = [
  { format: 'markdown', label: 'Export as Markdown' },
  { format: 'html', label: 'Export as HTML' },
  { format: 'json', label: 'Export as JSON' },
] as const;

export const exportWithQuestion = { format: 'markdown', label: 'Export…' } as const;

export const verbWords: Record<Exclude<RowVerb, 'export'>, VerbWords> = {
  open: { label: 'Open', icon: ArrowRightIcon, shortcut: 'Enter' },
  openInTab: { label: 'Open in Editor Tab', icon: OpenInTabIcon, shortcut: modifiedKeyLabel('Enter') },
  openInNewWindow: { label: 'Open Folder in New Window', icon: NewWindowIcon },
  goToWindow: { label: 'Switch to Its Window', icon: NewWindowIcon },
  review: { label: 'Review Changes', icon: DiffFilesIcon },
  stop: { label: 'Stop', icon: StopIcon },
  rename: { label: 'Rename', icon: EditIcon, shortcut: 'F2' },
  pin: { label: 'Pin', icon: PinIcon },
  unpin: { label: 'Unpin', icon: PinIcon },
  archive: { label: 'Archive', icon: ArchiveIcon, hint: 'Hides it from this list. Nothing is deleted.' },
  unarchive: { label: 'Unarchive', icon: RestoreIcon },
  fork: { label: 'Fork', icon: BranchIcon },
  continueWith: { label: 'Continue with Another Agent…', icon: SendIcon },
  locateFolder: { label: 'Locate Folder…', icon: FolderIcon },
  delete: { label: 'Delete', icon: TrashIcon, shortcut: 'Delete' },
};

export const exportIcon = ExportIcon;

/**
 * Does what a verb says with conversations: with one of them, unless the verb is for several. `entryId`: the place at which
 * the conversation is opened.
 */
export async function runVerb(
  page: ConversationsPage,
  verb: PlainVerb,
  sessionIds: string[],
  entryId?: string,
): Promise<void> {
  const [sessionId = ''] = sessionIds;
  const requests = conversationsRequests;
  switch (verb) {
    case 'pin':
    case 'unpin':
      await page.requestFor(sessionIds, requests.setPinned, { sessionIds, isPinned: verb === 'pin' });
      break;
    case 'archive':
    case 'unarchive': {
      const isArchived = verb === 'archive';
      const isDone = await page.requestFor(sessionIds, requests.setArchived, { sessionIds, isArchived });
      if (isDone) page.store.update({ justArchived: isArchived ? sessionIds : [] });
      break;
    }
    case 'stop':
    case 'delete':
      await page.requestFor(sessionIds, requests[verb], { sessionIds });
      break;
    case 'open':
    case 'openInTab':
      await page.requestFor([sessionId], requests[verb], withoutUndefined({ sessionId, entryId }));
      break;
    default:
      await page.requestFor([sessionId], requests[verb], { sessionId });
  }
}
