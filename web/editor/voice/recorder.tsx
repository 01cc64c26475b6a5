import { Mic, Pause, Square } from 'lucide-react';
import { type RefObject, useEffect, useEffectEvent, useRef, useState } from 'react';
import { lengthOf, type Recording, startRecording, voiceFile } from './recording.ts';
import '../../styles/editor-voice.css';

type RecorderProps = {
  /** Called when a recording begins that would be lost, and when it ends. */
  onActive(isActive: boolean): void;
  onRecorded(file: File): void;
  onClose(): void;
};

/** `isCut`: it ended unexpectedly. */
type Recorded = { file: File; address: string; isCut: boolean };

/** Records a voice message: it can be paused, played, and recorded again before it is attached. */
export default function Recorder(props: RecorderProps) {
  const [attempt, setAttempt] = useState(0);
  return <Attempt key={attempt} isFirst={attempt === 0} onAgain={() => setAttempt(attempt + 1)} {...props} />;
}

type AttemptProps = RecorderProps & { isFirst: boolean; onAgain(): void };

function Attempt({ isFirst, onAgain, onActive, onRecorded, onClose }: AttemptProps) {
  const { recording, recorded, refusal, isPaused, setPaused, finish } = useRecording();
  const place = useRef<HTMLDivElement>(null);
  const isActive = recording !== undefined;
  const tell = useEffectEvent(onActive);
  useEffect(() => {
    if (!isActive) return;
    tell(true);
    return () => tell(false);
  }, [isActive]);
  useEffect(() => {
    // The pressed button is gone.
    if (!isFirst) place.current?.focus();
  }, [isFirst]);
  if (refusal !== undefined) {
    return (
      <div ref={place} className="voice" tabIndex={-1}>
        <p role="alert">{refusal}</p>
        <Choice name="Try again" onChoose={onAgain} />
        <Choice name="Close" onChoose={onClose} />
      </div>
    );
  }
  if (recorded !== undefined) {
    return (
      <div className="voice">
        {recorded.isCut && <p role="alert">The microphone stopped. This is what was recorded.</p>}
        <Player address={recorded.address} isCut={recorded.isCut} />
        <button type="button" className="button primary" onClick={() => onRecorded(recorded.file)}>
          Attach
        </button>
        <Choice name="Record again" onChoose={onAgain} />
        <Choice name="Discard" onChoose={onClose} />
      </div>
    );
  }
  return (
    <div ref={place} className="voice" tabIndex={-1}>
      <Level recording={recording} isPaused={isPaused} />
      <button
        type="button"
        className="button"
        disabled={recording === undefined}
        onClick={() => setPaused(!isPaused)}
      >
        {isPaused ? <Mic aria-hidden="true" /> : <Pause aria-hidden="true" />}{' '}
        <span>{isPaused ? 'Resume' : 'Pause'}</span>
      </button>
      <button type="button" className="button" disabled={recording === undefined} onClick={finish}>
        <Square aria-hidden="true" /> Finish
      </button>
      <Choice name="Discard" onChoose={onClose} />
    </div>
  );
}

function Choice({ name, onChoose }: { name: string; onChoose(): void }) {
  return (
    <button type="button" className="quiet" onClick={onChoose}>
      {name}
    </button>
  );
}

/**
 * Plays the recording. It takes the focus from the removed button, but not from somebody who is writing when
 * the microphone stops.
 */
function Player({ address, isCut }: Pick<Recorded, 'address' | 'isCut'>) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const player = new Audio(address);
    player.controls = true;
    player.setAttribute('aria-label', 'Your recording');
    player.addEventListener('loadedmetadata', () => findLength(player), { once: true });
    place.current?.append(player);
    if (!isCut || document.activeElement === document.body) player.focus();
    return () => {
      player.pause();
      player.remove();
    };
  }, [address, isCut]);
  return <div ref={place} className="player" />;
}

/** Chromium's recordings lack their length: the player seeks the end to find it, and goes back. */
function findLength(player: HTMLAudioElement): void {
  if (Number.isFinite(player.duration)) return;
  player.addEventListener('durationchange', () => (player.currentTime = 0), { once: true });
  player.currentTime = Number.MAX_SAFE_INTEGER;
}

/** Records from the beginning; the microphone is released with the last screen that shows it. */
function useRecording() {
  const [recording, setRecording] = useState<Recording>();
  const [recorded, setRecorded] = useState<Recorded>();
  const [refusal, setRefusal] = useState<string>();
  const [isPaused, setIsPaused] = useState(false);
  const isAsked = useRef(false);
  useEffect(() => {
    let isOver = false;
    let started: Recording | undefined;
    startRecording().then(
      begun => {
        if (isOver) return begun.stop();
        started = begun;
        setRecording(begun);
        void begun.recorded.then(blob => {
          if (isOver) return;
          const file = voiceFile(blob, begun.seconds());
          setRecorded({ file, address: URL.createObjectURL(blob), isCut: !isAsked.current });
        });
      },
      (error: unknown) => setRefusal(refusalOf(error)),
    );
    return () => {
      isOver = true;
      started?.stop();
    };
  }, []);
  useEffect(() => {
    if (recorded === undefined) return;
    return () => URL.revokeObjectURL(recorded.address);
  }, [recorded]);
  return {
    recording,
    recorded,
    refusal,
    isPaused,
    setPaused: (isNow: boolean) => {
      setIsPaused(isNow);
      if (isNow) recording?.pause();
      else recording?.resume();
    },
    finish: () => {
      isAsked.current = true;
      recording?.stop();
    },
  };
}

function Level({ recording, isPaused }: { recording: Recording | undefined; isPaused: boolean }) {
  const meter = useRef<HTMLMeterElement>(null);
  const length = useRef<HTMLSpanElement>(null);
  useEffect(() => {
    if (recording === undefined) return;
    return onEachFrame(() => show(recording, meter, length));
  }, [recording]);
  const state = recording === undefined ? 'Waiting for the microphone...' : isPaused ? 'Paused' : 'Recording';
  return (
    <>
      <span role="status">{state}</span>
      <span ref={length} className="amount" />
      <meter ref={meter} max={1} aria-label="Loudness" />
    </>
  );
}

function show(
  recording: Recording,
  meter: RefObject<HTMLMeterElement | null>,
  length: RefObject<HTMLSpanElement | null>,
): void {
  if (meter.current !== null) meter.current.value = recording.level();
  const text = lengthOf(recording.seconds());
  // Programs that translate the page read each change.
  if (length.current !== null && length.current.textContent !== text) length.current.textContent = text;
}

function onEachFrame(act: () => void): () => void {
  let frame = requestAnimationFrame(function next() {
    act();
    frame = requestAnimationFrame(next);
  });
  return () => cancelAnimationFrame(frame);
}

function refusalOf(error: unknown): string {
  const name = error instanceof DOMException ? error.name : '';
  if (name === 'NotAllowedError')
    return 'This site may not use your microphone. Allow it in your browser, and try again.';
  if (name === 'NotFoundError') return 'No microphone was found. Connect one, and try again.';
  return 'Your microphone did not start. Another program may be using it: close that, and try again.';
}
