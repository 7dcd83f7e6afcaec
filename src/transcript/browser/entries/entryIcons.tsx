import {
  AgentIcon,
  ArrowRightIcon,
  BranchIcon,
  CheckIcon,
  CircleIcon,
  EditIcon,
  EditorsIcon,
  ErrorIcon,
  FileIcon,
  FolderIcon,
  GlobeIcon,
  ImageIcon,
  InfoIcon,
  LinkIcon,
  ProblemsIcon,
  SearchIcon,
  SelectionIcon,
  SkippedIcon,
  TerminalIcon,
  TextIcon,
  ThinkIcon,
  ToolIcon,
  TrashIcon,
  WarningIcon,
  type Icon,
} from '../../../webview/browser/icons';
import type { Attachment, EntryOf, TodoItem } from '../../common/entries';

export const toolIcons: Record<EntryOf<'tool'>['toolKind'], Icon> = {
  read: FileIcon,
  edit: EditIcon,
  delete: TrashIcon,
  move: ArrowRightIcon,
  search: SearchIcon,
  execute: TerminalIcon,
  think: ThinkIcon,
  fetch: GlobeIcon,
  switch_mode: BranchIcon,
  agent: AgentIcon,
  other: ToolIcon,
};

export const attachmentIcons: Record<Attachment['kind'], Icon> = {
  file: FileIcon,
  folder: FolderIcon,
  selection: SelectionIcon,
  problems: ProblemsIcon,
  editors: EditorsIcon,
  git: BranchIcon,
  context: LinkIcon,
  image: ImageIcon,
  text: TextIcon,
};

export const noticeIcons: Record<EntryOf<'notice'>['level'], Icon> = {
  info: InfoIcon,
  warning: WarningIcon,
  error: ErrorIcon,
};

export const todoIcons: Record<TodoItem['status'], Icon> = {
  pending: CircleIcon,
  in_progress: ArrowRightIcon,
  completed: CheckIcon,
  cancelled: SkippedIcon,
};
