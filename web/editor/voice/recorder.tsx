import { Mic, Pause, Square } from 'lucide-react';
import { type RefObject, useEffect, useRef, useState } from 'react';
import { lengthOf, type Recording, startRecording, voiceFile } from './recording.ts';
import '../../styles/editor-voice.css';

type RecorderProps = {
  onRecorded(file: File): void;
  onClose(): void;
};

type Recorded = { file: File; address: string };

/** Records a voice message: it can be paused, listened to, and recorded again before it is attached. */
export default function Recorder({ onRecorded, onClose }: RecorderProps) {
  const { recording, recorded, refusal, isPaused, setPaused, finish, again } = useRecording();
  const listen = useRef<HTMLAudioElement>(null);
  const isRecorded = recorded !== undefined;
  useEffect(() => {
    if (isRecorded) listen.current?.focus();
  }, [isRecorded]);
  if (refusal !== undefined) {
    return (
      <div className="voice">
        <p role="alert">{refusal}</p>
        <Choice name="Try again" onChoose={again} />
        <Choice name="Close" onChoose={onClose} />
      </div>
    );
  }
  if (recorded !== undefined) {
    return (
      <div className="voice">
        {/* biome-ignore lint/a11y/useMediaCaption: it was spoken a moment ago */}
        <audio ref={listen} controls src={recorded.address} aria-label="Your recording" />
        <button type="button" className="button primary" onClick={() => onRecorded(recorded.file)}>
          Attach
        </button>
        <Choice name="Record again" onChoose={again} />
        <Choice name="Discard" onChoose={onClose} />
      </div>
    );
  }
  return (
    <div className="voice">
      <Level recording={recording} isPaused={isPaused} />
      <button
        type="button"
        className="button"
        disabled={recording === undefined}
        onClick={() => setPaused(!isPaused)}
      >
        {isPaused ? <Mic aria-hidden="true" /> : <Pause aria-hidden="true" />} {isPaused ? 'Resume' : 'Pause'}
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

/** Records from the beginning; the microphone is released with the last screen that shows it. */
function useRecording() {
  const [attempt, setAttempt] = useState(0);
  const [recording, setRecording] = useState<Recording>();
  const [recorded, setRecorded] = useState<Recorded>();
  const [refusal, setRefusal] = useState<string>();
  const [isPaused, setIsPaused] = useState(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each attempt is a recording of its own.
  useEffect(() => {
    let isOver = false;
    let started: Recording | undefined;
    startRecording().then(
      begun => {
        if (isOver) return begun.abandon();
        started = begun;
        setRecording(begun);
      },
      (error: unknown) => setRefusal(refusalOf(error)),
    );
    return () => {
      isOver = true;
      started?.abandon();
    };
  }, [attempt]);
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
    finish: async () => {
      if (recording === undefined) return;
      const blob = await recording.finish();
      const file = voiceFile(blob, recording.seconds());
      setRecorded({ file, address: URL.createObjectURL(blob) });
    },
    again: () => {
      setRecording(undefined);
      setRecorded(undefined);
      setRefusal(undefined);
      setIsPaused(false);
      setAttempt(before => before + 1);
    },
  };
}

/** How long it is, and how loud at this moment. */
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
  if (length.current !== null) length.current.textContent = lengthOf(recording.seconds());
}

function onEachFrame(act: () => void): () => void {
  let frame = requestAnimationFrame(function next() {
    act();
    frame = requestAnimationFrame(next);
  });
  return () => cancelAnimationFrame(frame);
}

function refusalOf(error: unknown): string {
  const isForbidden = error instanceof DOMException && error.name === 'NotAllowedError';
  return isForbidden
    ? 'This site may not use your microphone. Allow it in your browser, and try again.'
    : 'No microphone was found. Connect one, and try again.';
}
