import type { Icon } from './icons';

interface ToggleButtonProps {
  /** The accessible name and the tooltip. */
  readonly label: string;
  readonly icon: Icon;
  readonly isOn: boolean;
  readonly onToggle: (isOn: boolean) => void;
}

/** An icon button that can be on or off. */
export function ToggleButton({ label, icon: ButtonIcon, isOn, onToggle }: ToggleButtonProps) {
  return (
    <button
      type="button"
      class="icon-button"
      title={label}
      aria-label={label}
      aria-pressed={isOn}
      onClick={() => onToggle(!isOn)}
    >
      <ButtonIcon />
    </button>
  );
}
