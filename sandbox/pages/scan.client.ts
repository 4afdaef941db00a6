// The scan page's script: decodes a QR code from an image and continues with the code's content.
import decodeQR from 'qr/decode.js';

/** The smallest and largest image size in pixels: enough for a photo of a poster, and fast on an old phone. */
const SMALLEST = 600;
const LARGEST = 1_600;

const form = document.getElementById('code') as HTMLFormElement | null;
if (form) offerImages(form);

function offerImages(form: HTMLFormElement) {
  const content = form.elements.namedItem('content') as HTMLTextAreaElement;
  const picker = document.getElementById('image') as HTMLInputElement;
  const note = document.getElementById('image-note') as HTMLElement;
  picker.closest('[hidden]')?.removeAttribute('hidden');
  picker.addEventListener('change', () => void readFile(picker.files?.[0]));
  document.addEventListener('paste', (event) => void readFile(event.clipboardData?.files[0]));

  async function readFile(file: File | undefined) {
    if (!file) return;
    note.textContent = 'A ler a imagem…';
    try {
      content.value = decodeQR(await readPixels(file), { timeLimit: 3_000 });
      form.submit();
    } catch {
      note.textContent = 'Não encontrámos um código QR nesta imagem. Experimente outra, mais nítida.';
      // The reset lets the user choose the same file again.
      picker.value = '';
    }
  }
}

/** Draws the image on a white background, because an image with a dark code may have a transparent one. */
async function readPixels(file: File): Promise<ImageData> {
  const image = new Image();
  image.src = await readAddress(file);
  await image.decode();
  const longest = Math.max(image.naturalWidth, image.naturalHeight) || SMALLEST;
  const scale = Math.min(Math.max(longest, SMALLEST), LARGEST) / longest;
  const canvas = document.createElement('canvas');
  canvas.width = Math.round((image.naturalWidth || SMALLEST) * scale);
  canvas.height = Math.round((image.naturalHeight || SMALLEST) * scale);
  const context = canvas.getContext('2d') as CanvasRenderingContext2D;
  context.fillStyle = '#fff';
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.drawImage(image, 0, 0, canvas.width, canvas.height);
  return context.getImageData(0, 0, canvas.width, canvas.height);
}

/** Reads the image as a `data:` URL, because the CSP allows no other image URLs than ours and `data:`. */
function readAddress(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(reader.error ?? new Error('the file cannot be read'));
    reader.readAsDataURL(file);
  });
}
