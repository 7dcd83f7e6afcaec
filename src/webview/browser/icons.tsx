import type { ComponentChild, ComponentType } from 'preact';

/** Decorative icons on a grid of 16 pixels, in the color of the surrounding text. */

export type Icon = ComponentType;

const outlineProps = {
  fill: 'none',
  stroke: 'currentColor',
  'stroke-width': '1.25',
  'stroke-linecap': 'round',
  'stroke-linejoin': 'round',
} as const;

function outline(path: string): Icon {
  return () => svg(<path d={path} {...outlineProps} />);
}

function solid(path: string): Icon {
  return () => svg(<path d={path} fill="currentColor" />);
}

function svg(path: ComponentChild) {
  return (
    <svg class="icon" width="16" height="16" viewBox="0 0 16 16" aria-hidden="true">
      {path}
    </svg>
  );
}

export const AddIcon = outline('M8 3v10M3 8h10');
export const ArchiveIcon = outline('M2.5 3h11v3h-11zM3.5 6v7h9V6M6.5 8.5h3');
export const ArrowDownIcon = outline('M8 3v10M4 9l4 4 4-4');
export const ArrowUpIcon = outline('M8 13V3M4 7l4-4 4 4');
export const AskAsideIcon = outline('M2.5 3h11v7.5H8l-3 3v-3H2.5zM5.4 6.8v.1M8 6.8v.1M10.6 6.8v.1');
export const AtIcon = outline(
  'M10.5 8a2.5 2.5 0 1 1-5 0 2.5 2.5 0 0 1 5 0Zm0 0v.8a1.7 1.7 0 0 0 3.2.7A6 6 0 1 0 11 13.2',
);
export const BranchIcon = outline(
  'M5 5.5v5M5 5.5a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3Zm0 8a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3Zm6-6a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3Zm0 0c0 2-3 2-5 3',
);
export const CommentIcon = outline('M2.5 3h11v8H8l-3 2.5V11H2.5z');
export const CheckIcon = outline('M3 8.5 6.5 12 13 4.5');
export const ChevronDownIcon = outline('M4 6l4 4 4-4');
export const ChevronLeftIcon = outline('M10 4 6 8l4 4');
export const ChevronRightIcon = outline('M6 4l4 4-4 4');
export const CloseIcon = outline('M4 4l8 8M12 4l-8 8');
export const CopyIcon = outline('M6 5.5h7.5v8H6zM10.5 5.5v-3H2.5v8H6');
export const DiffIcon = outline('M8 2.5v6M5 5.5h6M5 12.5h6');
export const DiffFilesIcon = outline('M5.5 2.5h8v9h-8zM3 4.5v9.5h8M9.5 4.5v3M8 6h3M8 9.5h3');
export const EditIcon = outline(
  'M3 13l.6-2.9L10.8 3a1.3 1.3 0 0 1 1.8 0l.5.5a1.3 1.3 0 0 1 0 1.8L6 12.4 3 13ZM9.6 4.2l2.3 2.3',
);
export const EditorsIcon = outline('M2.5 4.5h8v9h-8zM5.5 4.5v-2h8v9h-3');
export const ErrorIcon = outline('M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12ZM8 5v3.5M8 11v.1');
export const ExportIcon = outline('M8 10V2.5M5 5l3-3 3 3M3 9.5v4h10v-4');
export const FileIcon = outline('M4 2.5h5l3 3v8H4zM9 2.5v3h3');
export const FolderIcon = outline('M2.5 4h4l1.5 1.5h5.5v7.5h-11z');
export const HistoryIcon = outline('M2.6 6.5A5.7 5.7 0 1 1 2.5 9M2.5 3v3.5H6M8 5v3.2l2 1.3');
export const ImageIcon = outline('M2.5 3.5h11v9h-11zM2.5 11l3-3 3 3 2-2 3 3M10.5 6.2v.1');
export const InfoIcon = outline('M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12ZM8 7.5V11M8 5v.1');
export const LinkIcon = outline('M9 3h4v4M13 3 7.5 8.5M11 9v4H3V5h4');
export const MoreIcon = solid(
  'M4.3 8a1.1 1.1 0 1 1-2.2 0 1.1 1.1 0 0 1 2.2 0Zm4.8 0a1.1 1.1 0 1 1-2.2 0 1.1 1.1 0 0 1 2.2 0Zm4.8 0a1.1 1.1 0 1 1-2.2 0 1.1 1.1 0 0 1 2.2 0Z',
);
export const OpenInTabIcon = outline('M2.5 3.5h11v9h-11zM9 3.5v9');
export const NewWindowIcon = outline('M7 3.5H2.5v9h11V8.5M9.5 2.5h4v4M13.5 2.5 8 8');
export const OptionsIcon = outline('M2.5 5H9M12 5h1.5M2.5 11H4M7 11h6.5M10.5 3.5v3M5.5 9.5v3');
export const PinIcon = outline('M9.5 2.5 13.5 6.5 10.8 7.6 9.6 11.4 4.6 6.4 8.4 5.2ZM7 9l-4 4');
export const ProblemsIcon = outline('M8 2.5 14 13H2ZM8 6.5v3M8 11.2v.1');
export const QueueIcon = outline('M2.5 4h11M2.5 8h7M2.5 12h4M12 9.5v5M9.5 12h5');
export const RevertIcon = outline('M3 6h6.5a3.5 3.5 0 0 1 0 7H6M5.5 3 2.8 6l2.7 3');
export const RestoreIcon = outline('M2.5 3h11v3h-11zM3.5 6v7h9V6M8 11.5v-4M6 9l2-2 2 2');
export const SearchIcon = outline('M7 11.5a4.5 4.5 0 1 0 0-9 4.5 4.5 0 0 0 0 9ZM10.3 10.3 13.5 13.5');
export const SelectionIcon = outline('M2.5 4h11M2.5 8h6M2.5 12h8M12.5 6.5v4');
export const SendIcon = solid(
  'M2.2 2.6c-.3-.7.4-1.4 1.1-1.1l11 5.6c.7.4.7 1.4 0 1.8l-11 5.6c-.7.3-1.4-.4-1.1-1.1L4 8.7h5V7.3H4Z',
);
export const ShieldIcon = outline('M8 2l5 1.8v3.7c0 3-2 5.3-5 6.5-3-1.2-5-3.5-5-6.5V3.8Z');
export const SlashIcon = outline('M10 3 6 13');
export const StopIcon = solid('M4.5 4h7a.5.5 0 0 1 .5.5v7a.5.5 0 0 1-.5.5h-7a.5.5 0 0 1-.5-.5v-7a.5.5 0 0 1 .5-.5Z');
export const StopAndSendIcon = outline('M2.5 5.5h5v5h-5zM10 8h4M11.5 5 14.5 8l-3 3');
export const TerminalIcon = outline('M2.5 3.5h11v9h-11zM5 6l2 2-2 2M8.5 10.5H11');
export const TextIcon = outline('M3 4h10M3 8h10M3 12h6');
export const TrashIcon = outline('M3 4.5h10M6 4.5v-2h4v2M4.5 4.5l.5 9h6l.5-9M7 7v4M9 7v4');
export const WarningIcon = ProblemsIcon;
export const AgentIcon = outline('M3.5 6h9v6.5h-9zM8 6V3M6.2 8.8v.9M9.8 8.8v.9M1.8 8.5v2M14.2 8.5v2');
export const ArrowRightIcon = outline('M3 8h10M9 4l4 4-4 4');
export const CircleIcon = outline('M8 13A5 5 0 1 0 8 3a5 5 0 0 0 0 10Z');
export const GlobeIcon = outline(
  'M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12ZM2 8h12M8 2c4 3.5 4 8.5 0 12M8 2C4 5.5 4 10.5 8 14',
);
export const BlockedIcon = outline('M8 13A5 5 0 1 0 8 3a5 5 0 0 0 0 10ZM4.5 11.5l7-7');
export const ThinkIcon = outline(
  'M6 12.5h4M6.8 14.2h2.4M6 10.8C5.8 9.4 4 8.6 4 6.2a4 4 0 0 1 8 0c0 2.4-1.8 3.2-2 4.6Z',
);
export const ToolIcon = outline(
  'M10.3 2.8a3.3 3.3 0 0 0-3.6 4.6L2.6 11.5a1.3 1.3 0 0 0 1.9 1.9l4.1-4.1a3.3 3.3 0 0 0 4.6-3.6L11 7.8 8.2 5Z',
);
export const BracesIcon = outline(
  'M6 2.5c-1.5 0-2 .6-2 2v1.8C4 7.4 3.4 8 2.5 8c.9 0 1.5.6 1.5 1.7v1.8c0 1.4.5 2 2 2M10 2.5c1.5 0 2 .6 2 2v1.8c0 1.1.6 1.7 1.5 1.7-.9 0-1.5.6-1.5 1.7v1.8c0 1.4-.5 2-2 2',
);
export const FollowMessagesIcon = outline('M8 2.5v7M5 6.5l3 3 3-3M3 13h10');
export const FoldIcon = outline('M4.5 2.5 8 6l3.5-3.5M4.5 13.5 8 10l3.5 3.5');
export const UnfoldIcon = outline('M4.5 6 8 2.5 11.5 6M4.5 10 8 13.5 11.5 10');
