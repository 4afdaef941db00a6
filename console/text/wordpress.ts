// Texts of the screen that connects a WordPress shop, in every language.
import type { Language } from '../../shared/language.ts';

const pt = {
  'wordpress.title': 'WordPress',
  'wordpress.about':
    'Com o plug-in, uma loja em WooCommerce recebe por Multicaixa Express, código QR e referência, sem programador.',
  'wordpress.install': 'Instalar o plug-in',
  'wordpress.install.about':
    'Descarregue o ficheiro. No WordPress abra Plugins, Adicionar novo, Carregar plugin, escolha o ficheiro e active.',
  'wordpress.download': 'Descarregar o plug-in',
  'wordpress.connect': 'Ligar uma loja WordPress',
  'wordpress.connect.about': 'Cria credenciais que só permitem isto:',
  'wordpress.connect.role':
    'A sua função não permite criar estas credenciais. Peça ao Proprietário ou a um Administrador. Precisam de:',
  'wordpress.values': 'Copie estes três dados para o WordPress',
  'wordpress.values.about':
    'No WordPress abra WooCommerce, Balcão, cole os dados e guarde. O segredo só se mostra desta vez.',
  'wordpress.url': 'Endereço do gateway',
  'done.connectWordpress': 'As credenciais foram criadas.',
};

const en: Record<keyof typeof pt, string> = {
  'wordpress.title': 'WordPress',
  'wordpress.about':
    'With the plug-in, a WooCommerce shop takes Multicaixa Express, QR codes and references without a programmer.',
  'wordpress.install': 'Install the plug-in',
  'wordpress.install.about':
    'Download the file. In WordPress open Plugins, Add New, Upload Plugin, choose the file and activate it.',
  'wordpress.download': 'Download the plug-in',
  'wordpress.connect': 'Connect a WordPress shop',
  'wordpress.connect.about': 'This creates credentials that may only:',
  'wordpress.connect.role':
    'Your role may not create these credentials. Ask the Owner or an Administrator. These permissions are needed:',
  'wordpress.values': 'Copy these three values into WordPress',
  'wordpress.values.about':
    'In WordPress open WooCommerce, Balcão, paste the values and save. The secret is shown this once.',
  'wordpress.url': 'Address of the gateway',
  'done.connectWordpress': 'The credentials were created.',
};

const fr: Record<keyof typeof pt, string> = {
  'wordpress.title': 'WordPress',
  'wordpress.about':
    'Avec l’extension, WooCommerce encaisse par Multicaixa Express, code QR et référence, sans programmeur.',
  'wordpress.install': 'Installer l’extension',
  'wordpress.install.about':
    'Téléchargez le fichier. Dans WordPress ouvrez Extensions, Ajouter, Téléverser, choisissez-le et activez.',
  'wordpress.download': 'Télécharger l’extension',
  'wordpress.connect': 'Relier une boutique WordPress',
  'wordpress.connect.about': 'Crée des identifiants qui permettent seulement\u00a0:',
  'wordpress.connect.role':
    'Votre rôle ne peut pas créer ces identifiants. Demandez au Propriétaire. Il leur faut\u00a0:',
  'wordpress.values': 'Copiez ces trois valeurs dans WordPress',
  'wordpress.values.about':
    'Dans WordPress ouvrez WooCommerce, Balcão, collez-les et enregistrez. Le secret s’affiche cette seule fois.',
  'wordpress.url': 'Adresse de la passerelle',
  'done.connectWordpress': 'Les identifiants sont créés.',
};

export const wordpressTexts: Record<Language, Record<keyof typeof pt, string>> = { pt, en, fr };
