import { Mic } from 'lucide-react';
import { lazy, Suspense, useRef, useState } from 'react';
import { useIsInBrowser } from '../../ui/use-is-in-browser.ts';

const Recorder = lazy(() => import('./recorder.tsx'));

type VoiceButtonProps = {
  isOff: boolean;
  /** Called when a recording begins that would be lost, and when it ends. */
  onActive(isActive: boolean): void;
  onRecorded(file: File): void;
};

/** Opens the recorder of a voice message, if this browser can record. */
export function VoiceButton({ isOff, onActive, onRecorded }: VoiceButtonProps) {
  const button = useRef<HTMLButtonElement>(null);
  const isInBrowser = useIsInBrowser();
  const [isOpen, setOpen] = useState(false);
  const canRecord =
    isInBrowser && typeof MediaRecorder === 'function' && navigator.mediaDevices !== undefined;
  if (!canRecord) return null;
  const close = () => {
    setOpen(false);
    button.current?.focus();
  };
  return (
    <>
      <button
        ref={button}
        type="button"
        className="button"
        disabled={isOff}
        aria-expanded={isOpen}
        onClick={() => setOpen(true)}
      >
        <Mic aria-hidden="true" /> Record a voice message
      </button>
      {isOpen && (
        <Suspense fallback={null}>
          <Recorder
            onActive={onActive}
            onRecorded={file => {
              onRecorded(file);
              close();
            }}
            onClose={close}
          />
        </Suspense>
      )}
    </>
  );
}
