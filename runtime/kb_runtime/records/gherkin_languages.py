"""The words of Gherkin in each language, but for the dialects that are jokes."""

from __future__ import annotations

from collections.abc import Mapping

KEYWORDS: Mapping[str, str] = {
    "en": (
        "Feature|Ability|Business Need; Rule; Background; Scenario Outline|Scenario "
        "Template|Scenario|Example; Scenarios|Examples; Given; When; Then; And; But"
    ),
    "ar": "خاصية; ; الخلفية; سيناريو مخطط|مثال|سيناريو; امثلة; بفرض; متى|عندما; اذاً|ثم; و; لكن",
    "bg": (
        "Функционалност; Правило; Предистория; Рамка на сценарий|Пример|Сценарий; Примери; Дадено; "
        "Когато; То; И; Но"
    ),
    "ca": (
        "Característica|Funcionalitat; ; Rerefons|Antecedents; Esquema de "
        "l'escenari|Exemple|Escenari; Exemples; Donat|Donada|Atès|Atesa; Quan; Aleshores|Cal; I; "
        "Però"
    ),
    "cs": (
        "Požadavek; Pravidlo; Pozadí|Kontext; Náčrt Scénáře|Osnova scénáře|Příklad|Scénář; "
        "Příklady; Pokud|Za předpokladu; Když; Pak; A také|A; Ale"
    ),
    "da": (
        "Egenskab; Regel; Baggrund; Abstrakt Scenario|Eksempel|Scenarie; Eksempler; Givet; Når; "
        "Så; Og; Men"
    ),
    "de": (
        "Funktionalität|Funktion; Regel; Grundlage|Hintergrund|Voraussetzungen|Vorbedingungen; "
        "Szenariogrundriss|Szenarien|Beispiel|Szenario; Beispiele; Angenommen|Gegeben sei|Gegeben "
        "seien; Wenn; Dann; Und; Aber"
    ),
    "el": (
        "Δυνατότητα|Λειτουργία; ; Υπόβαθρο; Περιγραφή Σεναρίου|Περίγραμμα "
        "Σεναρίου|Παράδειγμα|Σενάριο; Παραδείγματα|Σενάρια; Δεδομένου; Όταν; Τότε; Και; Αλλά"
    ),
    "es": (
        "Característica|Necesidad del negocio|Requisito; Regla|Regla de negocio; Antecedentes; "
        "Esquema del escenario|Ejemplo|Escenario; Ejemplos; Dado|Dada|Dados|Dadas; Cuando; "
        "Entonces; Y|E; Pero"
    ),
    "fi": "Ominaisuus; ; Tausta; Tapausaihio|Tapaus; Tapaukset; Oletetaan; Kun; Niin; Ja; Mutta",
    "fr": (
        "Fonctionnalité; Règle; Contexte; Plan du scénario|Plan du Scénario|Exemple|Scénario; "
        "Exemples; Soit|Sachant que|Sachant qu'|Sachant|Etant donné que|Etant donné qu'|Etant "
        "donné|Etant donnée|Etant donnés|Etant données|Étant donné que|Étant donné qu'|Étant "
        "donné|Étant donnée|Étant donnés|Étant données; Quand|Lorsque|Lorsqu'; Alors|Donc; Et "
        "que|Et qu'|Et; Mais que|Mais qu'|Mais"
    ),
    "he": "תכונה; כלל; רקע; תבנית תרחיש|דוגמא|תרחיש; דוגמאות; בהינתן; כאשר; אז|אזי; וגם; אבל",
    "hr": (
        "Osobina|Mogućnost|Mogucnost; ; Pozadina; Skica|Koncept|Primjer|Scenarij; "
        "Primjeri|Scenariji; Zadan|Zadani|Zadano|Ukoliko; Kada|Kad; Onda; I; Ali"
    ),
    "hu": (
        "Jellemző; Szabály; Háttér; Forgatókönyv vázlat|Példa|Forgatókönyv; Példák; "
        "Amennyiben|Adott; Majd|Ha|Amikor; Akkor; És; De"
    ),
    "id": (
        "Fitur; Aturan; Dasar|Latar Belakang; Skenario konsep|Garis-Besar Skenario|Skenario; "
        "Contoh|Misal; Dengan|Diketahui|Diasumsikan|Bila|Jika; Ketika; Maka|Kemudian; Dan; "
        "Tapi|Tetapi"
    ),
    "it": (
        "Funzionalità|Esigenza di Business|Abilità; Regola; Contesto; Schema dello "
        "scenario|Esempio|Scenario; Esempi; Dato|Data|Dati|Date; Quando; Allora; E|Ed; Ma"
    ),
    "ja": (
        "フィーチャ|機能; ルール; 背景; シナリオアウトライン|シナリオテンプレート|テンプレ|"
        "シナリオテンプレ|シナリオ; 例|サンプル; 前提; もし; ならば; 且つ|かつ; 然し|しかし|但し|"
        "ただし"
    ),
    "ko": (
        "기능; 규칙; 배경; 시나리오 개요|시나리오; 예; 조건|먼저; 만일|만약; 그러면; 그리고; "
        "하지만|단"
    ),
    "nl": (
        "Functionaliteit; Regel; Achtergrond; Abstract Scenario|Voorbeeld|Scenario; Voorbeelden; "
        "Gegeven|Stel; Als|Wanneer; Dan; En; Maar"
    ),
    "no": (
        "Egenskap; Regel; Bakgrunn; Scenariomal|Abstrakt Scenario|Eksempel|Scenario; Eksempler; "
        "Gitt; Når; Så; Og; Men"
    ),
    "pl": (
        "Właściwość|Funkcja|Aspekt|Potrzeba biznesowa; Zasada|Reguła; Założenia; Szablon "
        "scenariusza|Przykład|Scenariusz; Przykłady; Zakładając|Mając|Zakładając, że; "
        "Jeżeli|Jeśli|Gdy|Kiedy; Wtedy; Oraz|I; Ale"
    ),
    "pt": (
        "Funcionalidade|Característica|Caracteristica; Regra; Contexto|Cenário de Fundo|Cenario de "
        "Fundo|Fundo; Esquema do Cenário|Esquema do Cenario|Delineação do Cenário|Delineacao do "
        "Cenario|Exemplo|Cenário|Cenario; Exemplos|Cenários|Cenarios; Dado|Dada|Dados|Dadas; "
        "Quando; Então|Entao; E; Mas"
    ),
    "ro": (
        "Functionalitate|Funcționalitate|Funcţionalitate; ; Context; Structura scenariu|Structură "
        "scenariu|Exemplu|Scenariu; Exemple; Date fiind|Dat fiind|Dată fiind|Dati fiind|Dați "
        "fiind|Daţi fiind; Cand|Când; Atunci; Si|Și|Şi; Dar"
    ),
    "ru": (
        "Функция|Функциональность|Функционал|Свойство|Фича; Правило; Предыстория|Контекст; "
        "Структура сценария|Шаблон сценария|Пример|Сценарий; Примеры|Значения; "
        "Допустим|Дано|Пусть; Когда|Если; То|Затем|Тогда; И|К тому же|Также; Но|А|Иначе"
    ),
    "sk": (
        "Požiadavka|Funkcia|Vlastnosť; ; Pozadie; Náčrt Scenáru|Náčrt Scenára|Osnova "
        "Scenára|Príklad|Scenár; Príklady; Pokiaľ|Za predpokladu; Keď|Ak; Tak|Potom; A|A tiež|A "
        "taktiež|A zároveň; Ale"
    ),
    "sl": (
        "Funkcionalnost|Funkcija|Možnosti|Moznosti|Lastnost|Značilnost; ; Kontekst|Osnova|Ozadje; "
        "Struktura scenarija|Skica|Koncept|Oris scenarija|Osnutek|Primer|Scenarij; "
        "Primeri|Scenariji; Dano|Podano|Zaradi|Privzeto; Ko|Ce|Če|Kadar; Nato|Potem|Takrat; "
        "In|Ter; Toda|Ampak|Vendar"
    ),
    "sr-Latn": (
        "Funkcionalnost|Mogućnost|Mogucnost|Osobina; Pravilo; Kontekst|Osnova|Pozadina; Struktura "
        "scenarija|Skica|Koncept|Scenario|Primer; Primeri|Scenariji; Za dato|Za date|Za dati; "
        "Kada|Kad; Onda; I; Ali"
    ),
    "sv": (
        "Egenskap; Regel; Bakgrund; Abstrakt Scenario|Scenariomall|Scenario; Exempel; Givet; När; "
        "Så; Och; Men"
    ),
    "tr": (
        "Özellik|İş Gereksinimi|Gereksinim|İşlev|Kullanıcı Hikayesi|Yetenek|Teknik Gereksinim; "
        "Kural|İş Kuralı|Kaide|Hüküm|Madde; Geçmiş|Arka Plan|Ön Koşul|Önkoşul|Önceki "
        "Durum|Giriş|Mukaddime|Mevcut Durum; Senaryo taslağı|Senaryo "
        "şablonu|Örnek|Senaryo|Durum|Vaka; Örnekler|Değerler; Mevcut|Önceden|Geçmişte|Daha "
        "önce|Halihazırda|Zaten|Sistemde|Diyelim ki|Varsayalım ki|Farz edelim ki|Kabul edelim "
        "ki|Başlangıçta|Varsayılan olarak|Biliniyor ki; Eğer|Eğer ki|Ne zaman|Ne zaman ki|Şayet; "
        "Beklenen|O zaman|Sonuç olarak|Böylece|Bunun üzerine|Bu durumda|O takdirde|Şu halde|Netice "
        "itibariyle|Buna binaen; Ve|Hem de|Bir de|Ayrıca|İlaveten|Buna ek olarak; "
        "Fakat|Ama|Ancak|Yalnız|Lakin|Meğer ki|Buna mukabil|Aksi halde"
    ),
    "uk": (
        "Функціонал; ; Передумова; Структура сценарію|Приклад|Сценарій; Приклади; "
        "Припустимо|Припустимо, що|Нехай|Дано; Якщо|Коли; То|Тоді; І|А також|Та; Але"
    ),
    "vi": (
        "Tính năng; Quy tắc; Bối cảnh; Khung tình huống|Khung kịch bản|Tình huống|Kịch bản; Dữ "
        "liệu; Biết|Cho; Khi; Thì; Và; Nhưng"
    ),
    "zh-CN": (
        "功能; 规则; 背景; 场景大纲|剧本大纲|场景|剧本; 例子; 假如|假设|假定; 当; 那么; "
        "而且|并且|同时; 但是"
    ),
    "zh-TW": (
        "功能; ; 背景; 場景大綱|劇本大綱|場景|劇本; 例子; 假如|假設|假定; 當; 那麼; "
        "而且|並且|同時; 但是"
    ),
    "af": (
        "Funksie|Besigheid Behoefte|Vermoë; Reël|Reel; Agtergrond; Situasie "
        "Uiteensetting|Voorbeeld|Situasie; Voorbeelde; Gegewe; Wanneer; Dan; En; Maar"
    ),
    "am": (
        "Ֆունկցիոնալություն|Հատկություն; ; Կոնտեքստ; Սցենարի կառուցվացքը|Օրինակ|Սցենար; "
        "Օրինակներ; Դիցուք; Եթե|Երբ; Ապա; Եվ; Բայց"
    ),
    "amh": (
        "ስራ|የተፈለገው ስራ|የሚፈለገው ድርጊት; ህግ; ቅድመ ሁኔታ|መነሻ|መነሻ ሀሳብ; ሁናቴ ዝርዝር|ሁናቴ አብነት|ምሳሌ|ሁናቴ; "
        "ምሳሌዎች|ሁናቴዎች; የተሰጠ; መቼ; ከዚያ; እና; ግን"
    ),
    "an": (
        "Caracteristica; ; Antecedents; Esquema del caso|Eixemplo|Caso; Eixemplos; "
        "Dau|Dada|Daus|Dadas; Cuan; Alavez|Allora|Antonces; Y|E; Pero"
    ),
    "ast": (
        "Carauterística; ; Antecedentes; Esbozu del casu|Exemplo|Casu; Exemplos; "
        "Dáu|Dada|Daos|Daes; Cuando; Entós; Y|Ya; Peru"
    ),
    "az": (
        "Özəllik; ; Keçmiş|Kontekst; Ssenarinin strukturu|Nümunə|Ssenari; Nümunələr; Tutaq "
        "ki|Verilir; Əgər|Nə vaxt ki; O halda; Və|Həm; Amma|Ancaq"
    ),
    "be": (
        "Функцыянальнасць|Фіча; Правілы; Кантэкст; Шаблон сцэнарыя|Узор "
        "сцэнара|Сцэнарый|Cцэнар; Прыклады; Няхай|Дадзена; Калі; Тады; I|Ды|Таксама; Але|Інакш"
    ),
    "bm": (
        "Fungsi; ; Latar Belakang; Kerangka Senario|Kerangka Situasi|Kerangka Keadaan|Garis "
        "Panduan Senario|Senario|Situasi|Keadaan; Contoh; Diberi|Bagi; Apabila; Maka|Kemudian; "
        "Dan; Tetapi|Tapi"
    ),
    "bs": (
        "Karakteristika; ; Pozadina; "
        "Scenariju-obris|Scenario-outline|Primjer|Scenariju|Scenario; Primjeri; Dato; Kada; "
        "Zatim; I|A; Ali"
    ),
    "cy-GB": (
        "Arwedd; ; Cefndir; Scenario Amlinellol|Enghraifft|Scenario; Enghreifftiau; Anrhegedig "
        "a; Pryd; Yna; A; Ond"
    ),
    "eo": (
        "Trajto; Regulo; Fono; Konturo de la scenaro|Skizo|Kazo-skizo|Ekzemplo|Scenaro|Kazo; "
        "Ekzemploj; Donitaĵo|Komence; Se; Do; Kaj; Sed"
    ),
    "et": (
        "Omadus; Reegel; Taust; Raamjuhtum|Raamstsenaarium|Juhtum|Stsenaarium; Juhtumid; "
        "Eeldades; Kui; Siis; Ja; Kuid"
    ),
    "fa": (
        "ویژگی|قابلیت; قانون; زمینه|پیش زمینه|مقدمات; الگوی سناریو|مثال|سناریو; نمونه ها; با "
        "فرض|فرض کنید|با در نظر گرفتن; هنگامی|وقتی; آنگاه|سپس|انتظار می رود; و; اما"
    ),
    "ga": (
        "Gné; Riail; Cúlra; Cás Achomair|Sampla|Cás; Samplaí; Cuir i gcás go|Cuir i gcás "
        "nach|Cuir i gcás gur|Cuir i gcás nár; Nuair a|Nuair nach|Nuair ba|Nuair nár; Ansin; "
        "Agus; Ach"
    ),
    "gj": (
        "લક્ષણ|વ્યાપાર જરૂર|ક્ષમતા; નિયમ; બેકગ્રાઉન્ડ; પરિદ્દશ્ય રૂપરેખા|પરિદ્દશ્ય "
        "ઢાંચો|ઉદાહરણ|સ્થિતિ; ઉદાહરણો; આપેલ છે; ક્યારે; પછી; અને; પણ"
    ),
    "gl": (
        "Característica; ; Contexto; Esbozo do escenario|Exemplo|Escenario; Exemplos; "
        "Dado|Dada|Dados|Dadas; Cando; Entón|Logo; E; Mais|Pero"
    ),
    "hi": (
        "रूप लेख; नियम; पृष्ठभूमि; परिदृश्य रूपरेखा|परिदृश्य; उदाहरण; अगर|यदि|चूंकि; जब|कदा; "
        "तब|तदा; और|तथा; पर|परन्तु|किन्तु"
    ),
    "ht": (
        "Karakteristik|Mak|Fonksyonalite; ; Kontèks|Istorik; Plan senaryo|Plan Senaryo|Senaryo "
        "deskripsyon|Senaryo Deskripsyon|Dyagram senaryo|Dyagram Senaryo|Senaryo; Egzanp; "
        "Sipoze|Sipoze ke|Sipoze Ke; Lè|Le; Lè sa a|Le sa a; Ak|Epi|E; Men"
    ),
    "is": (
        "Eiginleiki; ; Bakgrunnur; Lýsing Atburðarásar|Lýsing Dæma|Atburðarás; "
        "Dæmi|Atburðarásir; Ef; Þegar; Þá; Og; En"
    ),
    "jv": (
        "Fitur; ; Dasar; Konsep skenario|Skenario; Conto|Contone; Nalika|Nalikaning; "
        "Manawa|Menawa; Njuk|Banjur; Lan; Tapi|Nanging|Ananging"
    ),
    "ka": (
        "თვისება|მოთხოვნა; წესი; კონტექსტი; სცენარის ნიმუში|სცენარის "
        "შაბლონი|ნიმუში|შაბლონი|მაგალითად|მაგალითი|მაგ|სცენარი; მაგალითები; "
        "მოცემული|მოცემულია|ვთქვათ; როდესაც|როცა|როგორც კი|თუ; მაშინ; და|ასევე; მაგრამ|თუმცა"
    ),
    "kn": ("ಹೆಚ್ಚಳ; ; ಹಿನ್ನೆಲೆ; ವಿವರಣೆ|ಉದಾಹರಣೆ|ಕಥಾಸಾರಾಂಶ; ಉದಾಹರಣೆಗಳು; ನೀಡಿದ; ಸ್ಥಿತಿಯನ್ನು; ನಂತರ; ಮತ್ತು; ಆದರೆ"),
    "lt": (
        "Savybė; ; Kontekstas; Scenarijaus šablonas|Pavyzdys|Scenarijus; "
        "Pavyzdžiai|Scenarijai|Variantai; Duota; Kai; Tada; Ir; Bet"
    ),
    "lu": (
        "Funktionalitéit; ; Hannergrond; Plang vum Szenario|Beispill|Szenario; Beispiller; "
        "ugeholl; wann; dann; an|a; awer|mä"
    ),
    "lv": (
        "Funkcionalitāte|Fīča; ; Konteksts|Situācija; Scenārijs pēc parauga|Piemērs|Scenārijs; "
        "Piemēri|Paraugs; Kad; Ja; Tad; Un; Bet"
    ),
    "mk-Cyrl": (
        "Функционалност|Бизнис потреба|Можност; ; Контекст|Содржина; Преглед на "
        "сценарија|Скица|Концепт|Пример|Сценарио|На пример; Примери|Сценарија; Дадено|Дадена; "
        "Кога; Тогаш; И; Но"
    ),
    "mk-Latn": (
        "Funkcionalnost|Biznis potreba|Mozhnost; ; Kontekst|Sodrzhina; Pregled na "
        "scenarija|Skica|Koncept|Scenario|Na primer; Primeri|Scenaria; Dadeno|Dadena; Koga; "
        "Togash; I; No"
    ),
    "ml": (
        "സവിശേഷത; നിയമം; പശ്ചാത്തലം; സാഹചര്യത്തിന്റെ രൂപരേഖ|രംഗം; ഉദാഹരണങ്ങൾ; നൽകിയത്; എപ്പോൾ;"
        " പിന്നെ; ഒപ്പം; പക്ഷേ"
    ),
    "mn": (
        "Функц|Функционал; ; Агуулга; Сценарын төлөвлөгөө|Сценар; Тухайлбал; Өгөгдсөн нь|Анх; "
        "Хэрэв; Тэгэхэд|Үүний дараа; Мөн|Тэгээд; Гэхдээ|Харин"
    ),
    "mr": (
        "वैशिष्ट्य|सुविधा; नियम; पार्श्वभूमी; परिदृश्य रूपरेखा|परिदृश्य; उदाहरण; जर|दिलेल्या "
        "प्रमाणे; जेव्हा; मग|तेव्हा; आणि|तसेच; पण|परंतु"
    ),
    "ne": (
        "सुविधा|विशेषता; नियम; पृष्ठभूमी; परिदृश्य रूपरेखा|परिदृश्य; उदाहरण|उदाहरणहरु; "
        "दिइएको|दिएको|यदि; जब; त्यसपछि|अनी; र|अनि; तर"
    ),
    "pa": (
        "ਖਾਸੀਅਤ|ਮੁਹਾਂਦਰਾ|ਨਕਸ਼ ਨੁਹਾਰ; ; ਪਿਛੋਕੜ; ਪਟਕਥਾ ਢਾਂਚਾ|ਪਟਕਥਾ ਰੂਪ ਰੇਖਾ|ਉਦਾਹਰਨ|ਪਟਕਥਾ; "
        "ਉਦਾਹਰਨਾਂ; ਜੇਕਰ|ਜਿਵੇਂ ਕਿ; ਜਦੋਂ; ਤਦ; ਅਤੇ; ਪਰ"
    ),
    "sr-Cyrl": (
        "Функционалност|Могућност|Особина; Правило; Контекст|Основа|Позадина; Структура "
        "сценарија|Скица|Концепт|Сценарио|Пример; Примери|Сценарији; За дато|За дате|За дати; "
        "Када|Кад; Онда; И; Али"
    ),
    "ta": (
        "அம்சம்|வணிக தேவை|திறன்; ; பின்னணி; காட்சி சுருக்கம்|காட்சி வார்ப்புரு|உதாரணமாக|காட்சி;"
        " எடுத்துக்காட்டுகள்|காட்சிகள்|நிலைமைகளில்; கொடுக்கப்பட்ட; எப்போது; அப்பொழுது; "
        "மேலும்|மற்றும்; ஆனால்"
    ),
    "te": ("గుణము; ; నేపథ్యం; కథనం|ఉదాహరణ|సన్నివేశం; ఉదాహరణలు; చెప్పబడినది; ఈ పరిస్థితిలో; అప్పుడు; మరియు; కాని"),
    "th": (
        "โครงหลัก|ความต้องการทางธุรกิจ|ความสามารถ; ; แนวคิด; "
        "สรุปเหตุการณ์|โครงสร้างของเหตุการณ์|เหตุการณ์; ชุดของตัวอย่าง|ชุดของเหตุการณ์; "
        "กำหนดให้; เมื่อ; ดังนั้น; และ; แต่"
    ),
    "tt": (
        "Мөмкинлек|Үзенчәлеклелек; ; Кереш; Сценарийның төзелеше|Сценарий; Үрнәкләр|Мисаллар; "
        "Әйтик; Әгәр; Нәтиҗәдә; Һәм|Вә; Ләкин|Әмма"
    ),
    "ur": (
        "صلاحیت|کاروبار کی ضرورت|خصوصیت; ; پس منظر; منظر نامے کا خاکہ|منظرنامہ; مثالیں; "
        "اگر|بالفرض|فرض کیا; جب; پھر|تب; اور; لیکن"
    ),
    "uz": (
        "Функционал; ; Тарих; Сценарий структураси|Сценарий; Мисоллар; Belgilangan; Агар; Унда;"
        " Ва; Лекин|Бирок|Аммо"
    ),
}
"""Those of blocks (a feature, rule, background, scenario, examples), then those of steps (given, when, then,
and, but), in this order; between alternatives is a bar."""
