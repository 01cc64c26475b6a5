import type { Locator, Page } from '@playwright/test';

/**
 * Presses a key while an input method composes a word in a focused field, and then as Safari reports it:
 * after the end of the composition, with the key code 229.
 */
export async function pressInComposition(page: Page, field: Locator, key: 'Enter' | 'Escape'): Promise<void> {
  const client = await page.context().newCDPSession(page);
  await client.send('Input.imeSetComposition', { text: 'に', selectionStart: 1, selectionEnd: 1 });
  await page.keyboard.press(key);
  await client.send('Input.imeSetComposition', { text: '', selectionStart: 0, selectionEnd: 0 });
  await client.detach();
  const bubbles = { bubbles: true, cancelable: true };
  // A field that the key has closed is missing; the test sees that.
  if ((await field.count()) > 0) await field.dispatchEvent('keydown', { key, keyCode: 229, ...bubbles });
}
