import { chromiumArgs, findChromium } from '../../scripts/chromium.ts';
import { write } from './editor.ts';
import { expect, test } from './fixtures.ts';

/** A voice message is recorded in the editor, and heard by readers at their speed. */

// Chromium's own microphone, which beeps.
const microphone = ['--use-fake-ui-for-media-stream', '--use-fake-device-for-media-stream'];
test.use({
  launchOptions: { executablePath: findChromium(), args: [...chromiumArgs, ...microphone] },
  allowedErrors: [/ERR_FAILED .*\/recorder/],
});

/** How long the recording is, from so many seconds on: nobody sees each second. */
const atLeast = (seconds: 1 | 2) => new RegExp(`^(?:0:0[${seconds}-9]|0:[1-5]\\d|[1-9]\\d*:\\d\\d)$`);

test('a voice message is recorded, paused, recorded again, attached with its words, and played faster', async ({
  admin: page,
  people,
}) => {
  await page.goto('/admin/posts/new');
  await page.getByRole('button', { name: 'Record a voice message' }).click();
  await expect(page.getByText('Recording', { exact: true })).toBeVisible();
  const loudness = page.getByLabel('Loudness');
  await expect.poll(() => loudness.evaluate((meter: HTMLMeterElement) => meter.value)).toBeGreaterThan(0);
  await expect(page.getByText(atLeast(1))).toBeVisible();
  await page.getByRole('button', { name: 'Pause' }).click();
  await expect(page.getByText('Paused')).toBeVisible();
  await page.getByRole('button', { name: 'Resume' }).click();
  await page.getByRole('button', { name: 'Finish' }).click();
  const heard = page.getByLabel('Your recording');
  await expect(heard).toBeFocused();
  // Its player shows how long it is.
  const length = () => heard.evaluate((sound: HTMLAudioElement) => [sound.duration, sound.currentTime]);
  await expect.poll(async () => (await length()).map(Number.isFinite)).toEqual([true, true]);
  await expect.poll(async () => (await length())[1]).toBe(0);
  await heard.evaluate((sound: HTMLAudioElement) => sound.play());
  await expect.poll(() => heard.evaluate((sound: HTMLAudioElement) => sound.ended)).toBe(true);

  await page.getByRole('button', { name: 'Record again' }).click();
  await expect(page.getByText(atLeast(2))).toBeVisible();
  await page.getByRole('button', { name: 'Finish' }).click();
  await page.getByRole('button', { name: 'Attach', exact: true }).click();
  await expect(page.getByRole('button', { name: 'Record a voice message' })).toBeFocused();
  // The end of the name of its file is for programs.
  await expect(page.locator('.files strong')).toHaveText(/^Voice message \(\d+ s\)$/);
  const words = page.getByLabel(/^Description of Voice message \(\d+ s\)$/);
  await words.fill('The brook behind the house, after the rain.');
  await write(page, 'Listen.');
  await page.getByRole('button', { name: 'Publish', exact: true }).click();
  await expect(page.getByText('Published.')).toBeVisible();

  const reader = await people.visitor();
  await reader.goto('/');
  await expect(reader.getByText('The brook behind the house, after the rain.')).toBeVisible();
  const sound = reader.locator('audio');
  const address = await sound.locator('source').getAttribute('src');
  const typeOf = async () => (await reader.request.get(address ?? '')).headers()['content-type'];
  await expect.poll(typeOf, { timeout: 120_000 }).toBe('audio/mp4');
  await reader.reload();
  // The player knows how long it is.
  const seconds = () => sound.evaluate((player: HTMLAudioElement) => Math.floor(player.duration));
  await expect.poll(seconds).toBeGreaterThanOrEqual(2);
  await reader.getByRole('button', { name: 'Speed 1×' }).click();
  await reader.getByRole('button', { name: 'Speed 1.25×' }).click();
  await expect(reader.getByRole('button', { name: 'Speed 1.5×' })).toBeVisible();
  await expect(sound).toHaveJSProperty('playbackRate', 1.5);
});

test('a recorder that cannot be loaded is reported, the text stays, and it is loaded again', async ({
  admin: page,
}) => {
  await page.goto('/admin/posts/new');
  await write(page, 'Listen.');
  await page.route('**/assets/recorder*.js', route => route.abort());
  const record = page.getByRole('button', { name: 'Record a voice message' });
  await record.click();
  await expect(page.getByRole('alert')).toHaveText('Failed to load the recorder. Please try again.');
  await expect(page.locator('.cm-content')).toHaveText('Listen.');
  await page.unroute('**/assets/recorder*.js');
  await record.click();
  await expect(page.getByText('Recording', { exact: true })).toBeVisible();
  await expect(page.getByRole('alert')).toHaveCount(0);
});

test('a site that may not use the microphone says what to do', async ({ admin: page }) => {
  await page.addInitScript(() => {
    navigator.mediaDevices.getUserMedia = async () => {
      throw new DOMException('denied', 'NotAllowedError');
    };
  });
  await page.goto('/admin/posts/new');
  await page.getByRole('button', { name: 'Record a voice message' }).click();
  await expect(page.getByRole('alert')).toHaveText(
    'This site may not use your microphone. Allow it in your browser, and try again.',
  );
  await page.getByRole('button', { name: 'Close' }).click();
  await expect(page.getByRole('button', { name: 'Record a voice message' })).toBeFocused();
});

test('what was recorded stays when the microphone stops, and is not left without a question', async ({
  page,
  people,
}) => {
  await page.addInitScript(() => {
    const { mediaDevices } = navigator;
    const ask = mediaDevices.getUserMedia.bind(mediaDevices);
    mediaDevices.getUserMedia = async wanted => {
      const stream = await ask(wanted);
      // As where somebody pulls its plug.
      addEventListener('unplugged', () => {
        for (const track of stream.getTracks()) {
          track.stop();
          track.dispatchEvent(new Event('ended'));
        }
      });
      return stream;
    };
  });
  await people.admin(page);
  await page.goto('/admin/posts/new');
  await page.getByRole('button', { name: 'Record a voice message' }).click();
  await expect(page.getByText(atLeast(1))).toBeVisible();
  await expect(page.getByRole('button', { name: 'Publish', exact: true })).toBeDisabled();
  await page.evaluate(() => dispatchEvent(new Event('unplugged')));
  await expect(page.getByRole('alert')).toHaveText('The microphone stopped. This is what was recorded.');
  const heard = page.getByLabel('Your recording');
  await heard.evaluate((sound: HTMLAudioElement) => sound.play());
  await expect.poll(() => heard.evaluate((sound: HTMLAudioElement) => sound.ended)).toBe(true);
  await page.getByRole('link', { name: 'Coterie' }).click();
  await expect(page.getByRole('alertdialog')).toContainText('The voice message is not attached.');
  await page.getByRole('button', { name: 'Stay' }).click();
  await page.getByRole('button', { name: 'Attach', exact: true }).click();
  await expect(page.getByRole('button', { name: 'Publish', exact: true })).toBeEnabled();
});
