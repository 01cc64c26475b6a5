/** The public keys of a browser that is notified. Its private one is 1, and nobody reads what it is told. */
export const pushKeysOfBrowser = {
  p256dh: 'BGsX0fLhLEJH-Lzm5WOkQPJ3A32BLeszoPShOUXYmMKWT-NC4v4af5uO5-tKfA-eFivOM1drMV7Oy7ZAaDe_UfU',
  auth: 'A'.repeat(22),
};
