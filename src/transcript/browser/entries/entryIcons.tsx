import * as icons from '../../../webview/browser/icons';
import type { Attachment, EntryOf, TodoItem } from '../../common/entries';

export const toolIcons: Record<EntryOf<'tool'>['toolKind'], icons.Icon> = {
  read: icons.FileIcon,
  edit: icons.EditIcon,
  delete: icons.TrashIcon,
  move: icons.ArrowRightIcon,
  search: icons.SearchIcon,
  execute: icons.TerminalIcon,
  think: icons.ThinkIcon,
  fetch: icons.GlobeIcon,
  switch_mode: icons.BranchIcon,
  agent: icons.AgentIcon,
  other: icons.ToolIcon,
};

export const attachmentIcons: Record<Attachment['kind'], icons.Icon> = {
  file: icons.FileIcon,
  folder: icons.FolderIcon,
  selection: icons.SelectionIcon,
  problems: icons.ProblemsIcon,
  editors: icons.EditorsIcon,
  git: icons.BranchIcon,
  comments: icons.CommentIcon,
  context: icons.LinkIcon,
  image: icons.ImageIcon,
  text: icons.TextIcon,
};

export const noticeIcons: Record<EntryOf<'notice'>['level'], icons.Icon> = {
  info: icons.InfoIcon,
  warning: icons.WarningIcon,
  error: icons.ErrorIcon,
};

export const todoIcons: Record<TodoItem['status'], icons.Icon> = {
  pending: icons.CircleIcon,
  in_progress: icons.ArrowRightIcon,
  completed: icons.CheckIcon,
  cancelled: icons.BlockedIcon,
};
