import type { Icon } from '../../webview/browser/icons';

interface ToggleButtonProps {
  /** Its name, and its tooltip. */
  readonly label: string;
  readonly icon: Icon;
  readonly isOn: boolean;
  readonly onToggle: (isOn: boolean) => void;
}

/** A picture that is on or off. */
export function ToggleButton({ label, icon: Picture, isOn, onToggle }: ToggleButtonProps) {
  return (
    <button
      type="button"
      class="icon-button thread-toggle"
      title={label}
      aria-label={label}
      aria-pressed={isOn}
      onClick={() => onToggle(!isOn)}
    >
      <Picture />
    </button>
  );
}
